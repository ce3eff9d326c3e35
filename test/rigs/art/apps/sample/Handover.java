package sample;

import java.util.concurrent.CountDownLatch;

/**
 * A monitor is handed on: "first" has it, "second" and then main wait for it. In every second round they give it up by
 * Object.wait. Who has it writes down before it lets go who it is and how it lets go, so that main knows who really
 * released it.
 */
public final class Handover extends Sample {

    private static final class Baton {}

    private static final long HELD_MS = 6;
    private static final long WAIT_MS = 20;

    private final Baton baton = new Baton();
    private int holderTid;
    private boolean holderWaits;
    private boolean roundWaits;

    private final class Holder implements Runnable {

        private final CountDownLatch holding;
        private final CountDownLatch asking;

        Holder(CountDownLatch holding, CountDownLatch asking) {
            this.holding = holding;
            this.asking = asking;
        }

        public void run() {
            if (asking != null) asking.countDown();
            try {
                hold();
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted");
            }
        }

        private void hold() throws InterruptedException {
            synchronized (baton) {
                if (holding != null) holding.countDown();
                Thread.sleep(HELD_MS);
                if (roundWaits) giveUp();
                letGo(false);
            }
        }

        private void giveUp() throws InterruptedException {
            letGo(true);
            baton.wait(WAIT_MS);
        }

        private void letGo(boolean waits) {
            holderTid = Thread.currentThread().getNativeTid();
            holderWaits = waits;
        }
    }

    void round(int round) throws Exception {
        roundWaits = round % 2 == 1;
        CountDownLatch holding = new CountDownLatch(1);
        CountDownLatch asking = new CountDownLatch(1);
        Thread first = new Thread(new Holder(holding, null), "first");
        Thread second = new Thread(new Holder(null, asking), "second");
        first.start();
        holding.await();
        second.start();
        asking.await();
        Thread.sleep(1);
        take();
        first.join();
        second.join();
    }

    private void take() {
        long began = System.nanoTime();
        int by;
        boolean waits;
        synchronized (baton) {
            by = holderTid;
            waits = holderWaits;
            baton.notifyAll();
        }
        long ended = System.nanoTime();
        new Truth("handover").with("begin", began).with("end", ended).with("by", by).with("waits", waits ? 1 : 0).tell();
    }
}
