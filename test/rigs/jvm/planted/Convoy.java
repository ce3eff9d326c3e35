/** Four threads and the main thread queue up for one lock, each of which holds it for a moment. */
final class Convoy implements Cause {
    private final Object counter = new Object();

    @Override
    public void prepare() {
        for (int at = 0; at < 4; at++) {
            Thread teller = new Thread(this::serve, "teller-" + at);
            teller.setDaemon(true);
            teller.start();
        }
    }

    private void serve() {
        while (true) count();
    }

    private void count() {
        synchronized (counter) {
            Work.mixed(2);
        }
    }

    @Override
    public void step(int ms) {
        long end = System.nanoTime() + ms * 1_000_000L;
        while (System.nanoTime() < end) count();
    }
}
