import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Healthy: two workers do work of many kinds for half of the time; the main thread waits for requests. */
final class TwoWorkers implements Cause {
    private final LinkedBlockingQueue<Runnable> requests = new LinkedBlockingQueue<>();

    @Override
    public void prepare() {
        for (int at = 0; at < 2; at++) {
            Thread worker = new Thread(this::work, "worker-" + at);
            worker.setDaemon(true);
            worker.start();
        }
    }

    private void work() {
        LinkedBlockingQueue<Runnable> none = new LinkedBlockingQueue<>();
        try {
            while (true) {
                Work.mixed(10);
                none.poll(10, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void step(int ms) throws InterruptedException {
        requests.poll(ms, TimeUnit.MILLISECONDS);
    }
}
