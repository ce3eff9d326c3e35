package sample;

import java.util.concurrent.CountDownLatch;

/** Each round two more threads that never end: each holds an account that the other waits for. */
public final class Deadlock extends Sample {

    private static final class Account {}

    private static final class Transfer implements Runnable {

        private final Account from;
        private final Account to;
        private final CountDownLatch holding;
        volatile int tid;

        Transfer(Account from, Account to, CountDownLatch holding) {
            this.from = from;
            this.to = to;
            this.holding = holding;
        }

        public void run() {
            tid = Thread.currentThread().getNativeTid();
            synchronized (from) {
                holding.countDown();
                holding.await();
                deposit();
            }
        }

        private void deposit() {
            synchronized (to) {
                Cpu.burn(100);
            }
        }
    }

    void round(int round) throws Exception {
        CountDownLatch holding = new CountDownLatch(2);
        Account one = new Account();
        Account other = new Account();
        Transfer left = new Transfer(one, other, holding);
        Transfer right = new Transfer(other, one, holding);
        new Thread(left, "left-" + round).start();
        new Thread(right, "right-" + round).start();
        holding.await();
        Thread.sleep(100);
        new Truth("deadlock").with("left", left.tid).with("right", right.tid).tell();
    }
}
