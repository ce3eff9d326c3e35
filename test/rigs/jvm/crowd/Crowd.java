/** Starts threads that are over at once and have nobody who remembers them, and collects what is left of them. */
final class Crowd {
  private static final int ROUNDS = 100;
  private static final int THREADS = 10;

  private static volatile byte[] made;

  private Crowd() {}

  public static void main(String[] args) throws InterruptedException {
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < THREADS; i++) {
        Thread thread = new Thread(() -> made = new byte[100_000], "member-" + i);
        thread.start();
        if (i == THREADS - 1) thread.join();
      }
      System.gc();
    }
  }
}
