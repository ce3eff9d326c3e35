package sample;

/** Threads that do nothing but allocate. Arguments: rounds, threads (4), objects a thread and round (20000). */
public final class Storm extends Sample {

    /** A header of 8 bytes and two ints. */
    static final class Droplet {

        int x;
        int y;
    }

    static volatile Object sink;

    private final class Cloud implements Runnable {

        private final int drops;

        Cloud(int drops) {
            this.drops = drops;
        }

        public void run() {
            for (int i = 0; i < drops; i++) rain();
        }

        private void rain() {
            sink = new Droplet();
        }
    }

    void round(int round) throws Exception {
        int drops = argument(2, 20000);
        Thread[] threads = new Thread[argument(1, 4)];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(new Cloud(drops), "cloud-" + i);
            threads[i].start();
        }
        for (int i = 0; i < threads.length; i++) threads[i].join();
        new Truth("allocations")
            .with("type", "sample.Storm$Droplet")
            .with("threads", threads.length)
            .with("each", drops)
            .with("bytes", 16)
            .tell();
    }
}
