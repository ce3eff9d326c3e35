import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Over when it has used a tenth of a second or so; with the argument "ask" after it has also asked itself something. */
final class Moment {
  private static final int ROUNDS = 10_000;

  private Moment() {}

  public static void main(String[] args) throws IOException {
    long sum = 0;
    for (int round = 0; round < ROUNDS; round++) sum = work(sum);
    System.out.println(sum); // so that the work is not left out
    if (args.length > 0) ask();
  }

  /** The answer comes 100 ms after somebody waits for it; the JVM loads its libraries for sockets now. */
  private static void ask() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket served = server.accept()) {
      Thread asker = Thread.currentThread();
      Thread answerer = new Thread(() -> {
        try {
          while (!waits(asker)) Thread.sleep(1);
          Thread.sleep(100);
          served.getOutputStream().write(1);
        } catch (IOException | InterruptedException failed) {
          throw new IllegalStateException(failed);
        }
      });
      answerer.start();
      client.getInputStream().read();
    }
  }

  /** In the system's call that reads: on a busy machine it comes there long after its thread has started the one that answers. */
  private static boolean waits(Thread asker) {
    StackTraceElement[] frames = asker.getStackTrace();
    return frames.length > 0 && frames[0].isNativeMethod() && frames[0].getClassName().startsWith("sun.nio.ch.");
  }

  private static long work(long sum) {
    for (int i = 0; i < 10_000; i++) sum = sum * 31 + i;
    return sum;
  }
}
