import java.util.concurrent.ArrayBlockingQueue;

/** The main thread hands each of many tiny tasks to another thread, and waits for each. */
final class HandOffs implements Cause {
    private final ArrayBlockingQueue<Integer> tasks = new ArrayBlockingQueue<>(1);
    private final ArrayBlockingQueue<Integer> results = new ArrayBlockingQueue<>(1);

    @Override
    public void prepare() {
        Thread adder = new Thread(this::add, "adder");
        adder.setDaemon(true);
        adder.start();
    }

    private void add() {
        try {
            while (true) results.put(tasks.take() + 1);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void step(int ms) throws InterruptedException {
        long end = System.nanoTime() + ms * 1_000_000L;
        while (System.nanoTime() < end) askAdder();
    }

    private void askAdder() throws InterruptedException {
        tasks.put(1);
        Work.sink += results.take();
    }
}
