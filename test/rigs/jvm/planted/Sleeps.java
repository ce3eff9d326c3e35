/** The main thread sleeps between two tries. */
final class Sleeps implements Cause {
    @Override
    public void step(int ms) throws InterruptedException {
        Work.mixed(Math.max(1, ms / 10));
        retryLater(ms);
    }

    private void retryLater(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }
}
