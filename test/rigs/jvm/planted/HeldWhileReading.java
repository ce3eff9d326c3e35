import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.ReentrantLock;

/** The main thread waits for a lock while another thread reads from a slow server with it. */
final class HeldWhileReading implements Cause {
    private final ReentrantLock cache = new ReentrantLock();
    private final SynchronousQueue<Integer> orders = new SynchronousQueue<>();
    private final Semaphore taken = new Semaphore(0);
    private final SlowServer server = new SlowServer();

    @Override
    public void prepare() throws Exception {
        server.start();
        Thread filler = new Thread(this::fill, "cache filler");
        filler.setDaemon(true);
        filler.start();
    }

    private void fill() {
        try {
            while (true) {
                int ms = orders.take();
                cache.lock();
                try {
                    taken.release();
                    server.ask(ms);
                } finally {
                    cache.unlock();
                }
            }
        } catch (Exception error) {
            System.err.println(error);
        }
    }

    @Override
    public void step(int ms) throws InterruptedException {
        orders.put(ms);
        taken.acquire();
        lookUp();
    }

    private void lookUp() {
        cache.lock();
        try {
            Work.sink++;
        } finally {
            cache.unlock();
        }
    }
}
