package sample;

/** Threads that work all the time, without an allocation or a wait. Arguments: rounds, threads (64). */
public final class Crowd extends Sample {

    private One[] crowd;

    private static final class One extends Thread {

        volatile long turns;

        One(int number) {
            super("one-" + number);
            setDaemon(true);
        }

        public void run() {
            for (;;) work();
        }

        private void work() {
            int value = 1;
            for (int i = 0; i < 2000; i++) value = value * 31 + i;
            turns += value == 0 ? 0 : 1;
        }
    }

    public void onCreate() {
        crowd = new One[argument(1, 64)];
        for (int i = 0; i < crowd.length; i++) {
            crowd[i] = new One(i);
            crowd[i].start();
        }
    }

    void round(int round) throws Exception {
        Thread.sleep(100);
        long turns = 0;
        for (One one : crowd) turns += one.turns;
        new Truth("crowd").with("turns", turns).tell();
    }
}
