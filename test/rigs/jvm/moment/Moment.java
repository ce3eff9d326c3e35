/** Over when it has used a tenth of a second or so. */
final class Moment {
  private static final int ROUNDS = 10_000;

  private Moment() {}

  public static void main(String[] args) {
    long sum = 0;
    for (int round = 0; round < ROUNDS; round++) sum = work(sum);
    System.out.println(sum); // so that the work is not left out
  }

  private static long work(long sum) {
    for (int i = 0; i < 10_000; i++) sum = sum * 31 + i;
    return sum;
  }
}
