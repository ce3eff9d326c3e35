import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A background thread looks all the time whether there is something to do. */
final class HotInBackground implements Cause {
    private final LinkedBlockingQueue<Runnable> requests = new LinkedBlockingQueue<>();
    private volatile boolean isChanged;

    @Override
    public void prepare() {
        Thread refresher = new Thread(this::spinUntilChanged, "refresher");
        refresher.setDaemon(true);
        refresher.start();
    }

    private void spinUntilChanged() {
        while (!isChanged) Work.sink++;
    }

    @Override
    public void step(int ms) throws InterruptedException {
        requests.poll(ms, TimeUnit.MILLISECONDS);
    }
}
