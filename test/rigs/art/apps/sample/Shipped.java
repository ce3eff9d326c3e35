package sample;

import btrace.BTrace;

/** As it goes to a store, with the agent as a library of its own that a desktop may ask for. Arguments: rounds, the library. */
public final class Shipped extends Sample {

    public void onCreate() {
        BTrace.loadFrom(text(1));
        new Truth("asked").with("for", BTrace.recordFromLaunch() ? 1 : 0).tell();
        setUp();
    }

    private void setUp() {
        Cpu.burn(20000);
    }

    void round(int round) throws Exception {
        BTrace.marker("round");
        Cpu.burn(2000);
        new Truth("round").tell();
        Thread.sleep(5);
    }
}
