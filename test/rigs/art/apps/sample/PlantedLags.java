package sample;

import btrace.BTrace;
import btrace.LagWatch;

/** Every second message of the main looper hangs, as Hang has it. Arguments: rounds, the library, a folder. A lag is longer than 400 ms. */
public final class PlantedLags extends Sample {

    private final Hang hang = new Hang();
    private final StringBuilder told = new StringBuilder();
    private boolean isSettled;

    public void onCreate() {
        BTrace.loadFrom(text(1));
        boolean watches = new LagWatch(text(2)).messageMs(400).lookMs(50).stackMs(10).filesADay(10000).cpuPercent(0).start(null);
        if (!watches) System.out.println("problem " + BTrace.problem());
    }

    void round(int round) throws Exception {
        if (!isSettled) {
            // The watch has met the loop by then.
            isSettled = true;
            Thread.sleep(100);
        } else {
            // To print takes time of a message, which its line could not tell.
            told.append(round % 2 == 0 ? hang.longMessage() : hang.shortMessage()).append('\n');
        }
    }

    void end() throws Exception {
        // This is a message, too: no lag.
        Thread.sleep(200);
        told.append("truth watched lags=").append(LagWatch.lags());
        LagWatch.stop();
        System.out.println(told);
    }
}
