package sample;

import android.os.SystemClock;
import btrace.BTrace;

/**
 * Records itself, with the agent as a library of its own. Arguments: rounds (0: one recording without end), the library, a folder. First a whole recording with a marker
 * in each tenth round, then a ring that is dumped, then what cannot be done, then one that ends by itself; after that it works on, 12 ms a round.
 */
public final class InApp extends Sample {

    private static final int WHOLE = 20;
    private static final int RING = 40;

    private boolean wasRecording;

    public void onCreate() {
        tell("early", BTrace.isRecording());
        tell("nowhere", BTrace.loadFrom("/nonexistent/libbtrace-agent.so"));
        tell("loaded", BTrace.loadFrom(text(1)));
    }

    void round(int round) throws Exception {
        if (round == 0) tell("start", BTrace.start(text(2) + "/whole.btrace"));
        if (round == WHOLE && argument(0, 0) != 0) {
            tell("stop", BTrace.stop());
            tell("ring", BTrace.startRing(text(2) + "/ring.btrace", 30));
        }
        if (round == RING && argument(0, 0) != 0) {
            tell("dump", BTrace.dump(text(2) + "/dump.btrace"));
            tell("twice", BTrace.start(text(2) + "/twice.btrace"));
            tell("stop", BTrace.stop());
            tell("again", BTrace.stop());
            tell("missing", BTrace.start("/nonexistent/a.btrace"));
            tell("idle", BTrace.dump(text(2) + "/idle.btrace"));
            tell("small", BTrace.start(text(2) + "/small.btrace", 0, 30000));
            while (BTrace.isRecording()) {
                BTrace.marker("until the file is full " + System.nanoTime());
                Cpu.burn(1000);
            }
            tell("full", BTrace.stop());
            tell("end", true);
        }
        if (wasRecording && !BTrace.isRecording()) tell("over", BTrace.stop());
        wasRecording = BTrace.isRecording();
        long cpu = SystemClock.currentThreadCpuNanos();
        if (round % 10 == 9) checkOut(round);
        else Cpu.burn(2000);
        new Truth("round").with("cpu", SystemClock.currentThreadCpuNanos() - cpu).tell();
        Thread.sleep(5);
    }

    private void checkOut(int round) {
        BTrace.marker("check-out \u00e9\ud83d\uded2 " + round);
        BTrace.counter("check-outs", round / 10 + 1);
        for (int i = 0; i < 8; i++) pay();
    }

    private void pay() {
        Cpu.burn(5000);
    }

    private static void tell(String what, boolean done) {
        new Truth(what).with("done", done ? 1 : 0).with("recording", BTrace.isRecording() ? 1 : 0).tell();
        if (!done) System.out.println("problem of " + what + ": " + BTrace.problem());
    }
}
