/** The main thread looks every two milliseconds whether another thread is done. */
final class PollsForResult implements Cause {
    private volatile boolean isDone;

    @Override
    public void step(int ms) throws InterruptedException {
        isDone = false;
        Thread painter = new Thread(() -> {
            Work.mixed(ms);
            isDone = true;
        }, "painter");
        painter.start();
        awaitPicture();
        painter.join();
    }

    private void awaitPicture() throws InterruptedException {
        while (!isDone) Thread.sleep(2);
    }
}
