package sample;

import java.util.concurrent.CountDownLatch;

/** The thread "holder" holds a monitor for 30 ms, and main waits for it in enterCache(). */
public final class Contention extends Sample {

    private static final class Cache {}

    private final Cache cache = new Cache();
    static int holderTid;

    /**
     * ART tries a lock without a monitor fifty times, with another thread's turn in between, before it says that it waits: on a busy
     * machine that lasts longer than the wait. An object with a hash code has a monitor from its first lock on.
     */
    public void onCreate() {
        cache.hashCode();
    }

    private final class Holder implements Runnable {

        private final CountDownLatch holding;

        Holder(CountDownLatch holding) {
            this.holding = holding;
        }

        public void run() {
            holderTid = Thread.currentThread().getNativeTid();
            synchronized (cache) {
                holding.countDown();
                fillCache();
            }
        }

        private void fillCache() {
            Cpu.burn(30000);
        }
    }

    void round(int round) throws Exception {
        CountDownLatch holding = new CountDownLatch(1);
        Thread holder = new Thread(new Holder(holding), "holder");
        holder.start();
        holding.await();
        long began = System.nanoTime();
        enterCache();
        long ended = System.nanoTime();
        holder.join();
        new Truth("monitor").with("owner", holderTid).with("begin", began).with("end", ended).tell();
    }

    private void enterCache() {
        synchronized (cache) {
            Cpu.burn(100);
        }
    }
}
