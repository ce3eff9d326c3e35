/** More threads calculate than the machine has cores, so the main thread often waits for one. */
final class Crowded implements Cause {
    @Override
    public void prepare() {
        int threads = 3 * Runtime.getRuntime().availableProcessors();
        for (int at = 0; at < threads; at++) {
            Thread thread = new Thread(() -> {
                while (true) Work.mixed(100);
            }, "cruncher-" + at);
            thread.setDaemon(true);
            thread.start();
        }
    }

    @Override
    public void step(int ms) {
        Work.mixed(ms);
    }
}
