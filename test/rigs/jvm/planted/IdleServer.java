import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Healthy: waits for connections that never come, with a pool that has nothing to do. */
final class IdleServer implements Cause {
    private final ExecutorService pool = Executors.newFixedThreadPool(4);
    private Thread acceptor;

    @Override
    public void prepare() throws Exception {
        for (int at = 0; at < 4; at++) pool.submit(() -> Work.mixed(1));
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        acceptor = new Thread(() -> accept(server), "acceptor");
        acceptor.setDaemon(true);
        acceptor.start();
    }

    private static void accept(ServerSocket server) {
        try {
            server.accept().close();
        } catch (java.io.IOException error) {
            System.err.println(error);
        }
    }

    @Override
    public void step(int ms) throws InterruptedException {
        acceptor.join(ms);
    }
}
