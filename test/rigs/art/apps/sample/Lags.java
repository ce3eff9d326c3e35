package sample;

import btrace.BTrace;
import btrace.LagWatch;

/**
 * Hangs in every third round, and watches itself. Arguments: rounds, the library, a folder, 1 for no hangs. A round is one message of the main looper: a short
 * one, or one of more than half a second. Lags are longer than 400 ms.
 */
public final class Lags extends Sample {

    private static final int HANG_MS = 600;

    private boolean isSettled;

    public void onCreate() {
        BTrace.loadFrom(text(1));
        boolean watches = new LagWatch(text(2))
            .version("7")
            .messageMs(400)
            .lookMs(50)
            .stackMs(20)
            .cpuPercent(0)
            .start(
                new LagWatch.Receiver() {
                    public void lag(String file) {
                        System.out.println("file " + file);
                    }
                }
            );
        if (!watches) System.out.println("problem " + BTrace.problem());
        new Truth("watch").with("done", watches ? 1 : 0).with("last", LagWatch.lastEnd()).tell();
    }

    void round(int round) throws Exception {
        if (!isSettled) {
            // The watch has met the loop by then.
            isSettled = true;
            Thread.sleep(100);
            new Truth("before").with("lags", LagWatch.lags()).tell();
            return;
        }
        long begin = System.nanoTime();
        if (round % 3 == 2 && argument(3, 0) == 0) hang(round);
        else Cpu.burn(5000);
        new Truth("message").with("ns", System.nanoTime() - begin).tell();
    }

    /** Each from another place, as the last lag's stack is not written again. */
    private void hang(int round) throws Exception {
        if (round % 2 == 0) load();
        else wait(round);
    }

    private void load() throws Exception {
        Cpu.burn(50000);
        Thread.sleep(HANG_MS);
    }

    private void wait(int round) throws Exception {
        Thread.sleep(HANG_MS);
    }

    void end() throws Exception {
        Thread.sleep(150);
        new Truth("after").with("lags", LagWatch.lags()).tell();
        LagWatch.stop();
    }
}
