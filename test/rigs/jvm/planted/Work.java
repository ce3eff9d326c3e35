import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.TreeMap;
import java.util.zip.CRC32;

/** Work of many kinds, so that no method has most of it. */
final class Work {
    static volatile long sink;
    private static final int[] NUMBERS = new int[4096];
    private static final byte[] BYTES = new byte[16384];
    private static final double[][] LEFT = new double[24][24];

    private static final ThreadMXBean CLOCKS = ManagementFactory.getThreadMXBean();

    private Work() {}

    /** So much CPU time: on a busy machine a thread may get next to none of so much time, and no sample would show its work. */
    static void mixed(int ms) {
        long end = CLOCKS.getCurrentThreadCpuTime() + ms * 1_000_000L;
        for (int turn = 0; CLOCKS.getCurrentThreadCpuTime() < end; turn++) {
            switch (turn % 8) {
                case 0 -> sorted(turn);
                case 1 -> checksum();
                case 2 -> multiplied();
                case 3 -> sieved();
                case 4 -> mapped(turn);
                case 5 -> reversed(turn);
                case 6 -> hashed();
                default -> digits(turn);
            }
        }
    }

    private static long until() {
        return System.nanoTime() + 400_000;
    }

    static void sorted(int seed) {
        for (long end = until(); System.nanoTime() < end; ) {
            int[] copy = new int[1024];
            for (int at = 0; at < copy.length; at++) copy[at] = (at * 7919 + seed) % 1021;
            Arrays.sort(copy);
            sink += copy[7];
        }
    }

    static void checksum() {
        for (long end = until(); System.nanoTime() < end; ) {
            CRC32 crc = new CRC32();
            for (int at = 0; at < 20; at++) crc.update(BYTES);
            sink += crc.getValue();
        }
    }

    static void multiplied() {
        for (long end = until(); System.nanoTime() < end; ) {
            double sum = 0;
            for (int i = 0; i < 24; i++) for (int j = 0; j < 24; j++) for (int k = 0; k < 24; k++) sum += LEFT[i][k] * LEFT[k][j];
            sink += (long) sum;
        }
    }

    static void sieved() {
        for (long end = until(); System.nanoTime() < end; ) {
            boolean[] isNone = new boolean[4000];
            for (int at = 2; at < 4000; at++) for (int more = at * 2; more < 4000; more += at) isNone[more] = true;
            sink += isNone[97] ? 1 : 2;
        }
    }

    static void mapped(int seed) {
        for (long end = until(); System.nanoTime() < end; ) {
            TreeMap<Integer, Integer> map = new TreeMap<>();
            for (int at = 0; at < 300; at++) map.put((at * 31 + seed) % 307, at);
            sink += map.firstKey();
        }
    }

    static void reversed(int seed) {
        for (long end = until(); System.nanoTime() < end; ) {
            StringBuilder text = new StringBuilder();
            for (int at = 0; at < 500; at++) text.append((char) ('a' + (at + seed) % 26));
            sink += text.reverse().charAt(3);
        }
    }

    static void hashed() {
        for (long end = until(); System.nanoTime() < end; ) {
            long hash = 17;
            for (int number : NUMBERS) hash = hash * 31 + number;
            sink += hash;
        }
    }

    static void digits(int seed) {
        for (long end = until(); System.nanoTime() < end; ) {
            long sum = 0;
            for (int at = 1; at < 2000; at++) for (int rest = at + seed; rest > 0; rest /= 10) sum += rest % 10;
            sink += sum;
        }
    }
}
