/** The main thread waits for a slow server. */
final class SlowReads implements Cause {
    private final SlowServer server = new SlowServer();

    @Override
    public void prepare() throws Exception {
        server.start();
    }

    @Override
    public void step(int ms) throws Exception {
        readPrice(ms);
    }

    private void readPrice(int ms) throws Exception {
        server.ask(ms);
    }
}
