import java.util.concurrent.CountDownLatch;

/** Two threads wait for each other's lock; the main thread goes on. */
final class Deadlocked implements Cause {
    private final Object left = new Object();
    private final Object right = new Object();
    private final CountDownLatch both = new CountDownLatch(2);

    @Override
    public void prepare() {
        for (boolean isLeft : new boolean[] {true, false}) {
            Object first = isLeft ? left : right;
            Object second = isLeft ? right : left;
            Thread thread = new Thread(() -> take(first, second), isLeft ? "left" : "right");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void take(Object first, Object second) {
        synchronized (first) {
            both.countDown();
            try {
                both.await();
            } catch (InterruptedException error) {
                return;
            }
            synchronized (second) {
                Work.sink++;
            }
        }
    }

    @Override
    public void step(int ms) {
        Work.mixed(ms);
    }
}
