package sample;

/**
 * Threads of native code that are Java's for a while, as libraries have them: each waits in native code, goes when another one has come, and
 * lives on without Java. ART gives its id to who comes next. Arguments: rounds, how many go in each (1), ms that a new thread works once they
 * have gone (0: there is none).
 */
public final class Visitors extends Sample {

    private static final class Heir extends Thread {

        private final int millis;

        Heir(int millis) {
            super("heir");
            this.millis = millis;
        }

        public void run() {
            Cpu.burnQuietly(millis * 1000);
        }
    }

    private final long[] inside = new long[48];
    private final long[] outside = new long[256];
    private int next;

    private static native long come(String name);

    private static native void waitToLeave();

    /** Returns its tid, when it is Java's no more. */
    private static native int leave(long visitor);

    private static native void end(long visitor);

    private static void stay() {
        waitToLeave();
    }

    public void onCreate() {
        System.loadLibrary("sample");
        for (int i = 0; i < inside.length; i++) inside[i] = come("visitor");
    }

    void round(int round) throws Exception {
        int work = argument(2, 0);
        for (int i = argument(1, 1); i > 0; i--) change(work > 0);
        if (work > 0) {
            Thread heir = new Heir(work);
            heir.start();
            heir.join();
        }
        new Truth("round").tell();
    }

    private void change(boolean tells) {
        long came = come("visitor");
        int place = next % inside.length;
        long visitor = inside[place];
        inside[place] = came;
        long asked = System.nanoTime();
        int tid = leave(visitor);
        if (tells) new Truth("left").with("tid", tid).with("asked", asked).with("left", System.nanoTime()).tell();
        place = next++ % outside.length;
        if (outside[place] != 0) end(outside[place]);
        outside[place] = visitor;
    }
}
