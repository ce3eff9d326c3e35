import java.util.ArrayList;
import java.util.List;

/** The main thread starts a thread for each of many small tasks. */
final class ThreadPerTask implements Cause {
    @Override
    public void step(int ms) throws InterruptedException {
        long end = System.nanoTime() + ms * 1_000_000L;
        while (System.nanoTime() < end) notifyListeners();
    }

    private void notifyListeners() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int at = 0; at < 8; at++) {
            Thread thread = new Thread(() -> Work.sink++, "listener-" + at);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) thread.join();
    }
}
