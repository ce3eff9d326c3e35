/** Healthy: two threads share a lock that each holds for a moment only. */
final class ShortLocks implements Cause {
    private final Object total = new Object();

    @Override
    public void prepare() {
        Thread other = new Thread(() -> {
            while (true) work(10);
        }, "other");
        other.setDaemon(true);
        other.start();
    }

    private void work(int ms) {
        Work.mixed(ms);
        synchronized (total) {
            Work.sink++;
        }
    }

    @Override
    public void step(int ms) {
        work(ms);
    }
}
