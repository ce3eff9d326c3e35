import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Healthy: the main thread takes small tasks from a queue, as a message loop does, and rests between them. */
final class QueuedWork implements Cause {
    private final LinkedBlockingQueue<Integer> tasks = new LinkedBlockingQueue<>();

    @Override
    public void prepare() {
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1, task -> {
            Thread thread = new Thread(task, "timer");
            thread.setDaemon(true);
            return thread;
        });
        timer.scheduleAtFixedRate(() -> tasks.add(4), 20, 20, TimeUnit.MILLISECONDS);
    }

    @Override
    public void step(int ms) throws InterruptedException {
        long end = System.nanoTime() + ms * 1_000_000L;
        while (System.nanoTime() < end) Work.mixed(tasks.take());
    }
}
