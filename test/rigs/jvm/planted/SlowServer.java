import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Answers after as many milliseconds as it is asked for. */
final class SlowServer {
    private DataInputStream in;
    private DataOutputStream out;

    void start() throws IOException {
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(() -> serve(server), "slow server");
        thread.setDaemon(true);
        thread.start();
        Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    private static void serve(ServerSocket server) {
        try (Socket socket = server.accept()) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                int ms = in.readInt();
                Thread.sleep(ms);
                socket.getOutputStream().write(1);
            }
        } catch (Exception error) {
            System.err.println(error);
        }
    }

    void ask(int ms) throws IOException {
        out.writeInt(ms);
        out.flush();
        in.readByte();
    }
}
