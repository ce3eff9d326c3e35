import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;

/** The main thread waits for a monitor while another thread calculates with it. */
final class HeldLock implements Cause {
    private final Object ledger = new Object();
    private final SynchronousQueue<Integer> orders = new SynchronousQueue<>();
    private final Semaphore taken = new Semaphore(0);

    @Override
    public void prepare() {
        Thread settler = new Thread(this::settle, "settler");
        settler.setDaemon(true);
        settler.start();
    }

    private void settle() {
        try {
            while (true) {
                int ms = orders.take();
                synchronized (ledger) {
                    taken.release();
                    Work.mixed(ms);
                }
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void step(int ms) throws InterruptedException {
        orders.put(ms);
        taken.acquire();
        bookOrder();
    }

    private void bookOrder() {
        synchronized (ledger) {
            Work.sink++;
        }
    }
}
