import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** Does once what Flight Recorder has events for. Waits have lengths that the test knows. */
public final class Flight {
  static final class Till {}

  static final Till TILL = new Till();
  static volatile long sink;
  static volatile Object kept;
  static volatile boolean isHeld;
  static final Thread WAITER = new Thread(Flight::enter, "waiter");

  static long price(long rounds) {
    long sum = 0;
    for (long i = 0; i < rounds; i++) {
      sum = sum * 31 + (i ^ (sum >>> 3)); // the hot line
      if ((i & 63) == 0) sink = sum;
    }
    return sum;
  }

  static void work() {
    for (int i = 0; i < 1500; i++) price(100_000);
  }

  static void hold() {
    synchronized (TILL) {
      isHeld = true;
      while (WAITER.getState() != Thread.State.BLOCKED) Thread.onSpinWait();
      sleep(120);
    }
  }

  static void enter() {
    synchronized (TILL) {
      sink++;
    }
  }

  static void allocate() {
    for (int i = 0; i < 3000; i++) kept = new byte[20_000];
  }

  static void sleep(long ms) {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static void files() throws Exception {
    Path file = Files.createTempFile("flight", ".bin");
    try (FileOutputStream out = new FileOutputStream(file.toFile())) {
      out.write(new byte[1 << 16]);
      out.getChannel().force(true);
    }
    try (FileInputStream in = new FileInputStream(file.toFile())) {
      in.readAllBytes();
    }
    Files.delete(file);
  }

  static void sockets() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket here = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket there = server.accept()) {
      Thread client = new Thread(() -> {
        sleep(300);
        try {
          here.getOutputStream().write(7);
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      }, "client");
      client.start();
      there.getInputStream().read();
      client.join();
    }
  }

  public static void main(String[] args) throws Exception {
    Thread worker = new Thread(Flight::work, "worker");
    Thread holder = new Thread(Flight::hold, "holder");
    worker.start();
    holder.start();
    while (!isHeld) Thread.onSpinWait();
    WAITER.start();
    allocate();
    LockSupport.parkNanos(60_000_000L);
    Object bell = new Object();
    synchronized (bell) {
      bell.wait(50);
    }
    files();
    sockets();
    System.gc();
    for (Thread thread : new Thread[] {worker, holder, WAITER}) thread.join();
  }
}
