import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The main thread hands its work to another thread and waits for the result. */
final class WaitsForWorker implements Cause {
    private final ExecutorService pool = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "indexer");
        thread.setDaemon(true);
        return thread;
    });

    @Override
    public void step(int ms) throws Exception {
        search(ms);
    }

    private void search(int ms) throws Exception {
        pool.submit(() -> Work.mixed(ms)).get();
    }
}
