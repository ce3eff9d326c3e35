import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;

/** Work of many kinds, so that no method has most of it. */
final class Work {
    static volatile long sink;
    private static final int[] NUMBERS = new int[4096];
    private static final byte[] BYTES = new byte[16384];
    private static final double[][] LEFT = new double[24][24];

    private static final ThreadMXBean CLOCKS = ManagementFactory.getThreadMXBean();

    /** Goes on from call to call: short ones would all begin with the same kind. */
    private static final AtomicInteger TURNS = new AtomicInteger();

    private Work() {}

    /** So much CPU time: on a busy machine a thread may get next to none of so much time, and no sample would show its work. */
    static void mixed(int ms) {
        long end = CLOCKS.getCurrentThreadCpuTime() + ms * 1_000_000L;
        while (CLOCKS.getCurrentThreadCpuTime() < end) {
            int turn = TURNS.incrementAndGet();
            // By the golden ratio, not in turn: turns would fall in step with the kernel's ticks, and so with samples.
            switch (turn * 0x9E3779B9 >>> 29) {
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

    /** Of CPU time: each kind gets as much of it as the others, however busy the machine is. */
    private static long until() {
        return CLOCKS.getCurrentThreadCpuTime() + 400_000;
    }

    static void sorted(int seed) {
        for (long end = until(); CLOCKS.getCurrentThreadCpuTime() < end; ) {
            int[] copy = new int[1024];
            for (int at = 0; at < copy.length; at++) copy[at] = (at * 7919 + seed) % 1021;
            Arrays.sort(copy);
            sink += copy[7];
        }
    }

    static void checksum() {
        for (long end = until(); CLOCKS.getCurrentThreadCpuTime() < end; ) {
            CRC32 crc = new CRC32();
            for (int at = 0; at < 20; at++) crc.update(BYTES);
            sink += crc.getValue();
        }
    }

    static void multiplied() {
        for (long end = until(); CLOCKS.getCurrentThreadCpuTime() < end; ) {
            double sum = 0;
            for (int i = 0; i < 24; i++) for (int j = 0; j < 24; j++) for (int k = 0; k < 24; k++) sum += LEFT[i][k] * LEFT[k][j];
            sink += (long) sum;
        }
    }

    static void sieved() {
        for (long end = until(); CLOCKS.getCurrentThreadCpuTime() < end; ) {
            boolean[] isNone = new boolean[4000];
            for (int at = 2; at < 4000; at++) for (int more = at * 2; more < 4000; more += at) isNone[more] = true;
            sink += isNone[97] ? 1 : 2;
        }
    }

    static void mapped(int seed) {
        for (long end = until(); CLOCKS.getCurrentThreadCpuTime() < end; ) {
            TreeMap<Integer, Integer> map = new TreeMap<>();
            for (int at = 0; at < 300; at++) map.put((at * 31 + seed) % 307, at);
            sink += map.firstKey();
        }
    }

    static void reversed(int seed) {
        for (long end = until(); CLOCKS.getCurrentThreadCpuTime() < end; ) {
            StringBuilder text = new StringBuilder();
            for (int at = 0; at < 500; at++) text.append((char) ('a' + (at + seed) % 26));
            sink += text.reverse().charAt(3);
        }
    }

    static void hashed() {
        for (long end = until(); CLOCKS.getCurrentThreadCpuTime() < end; ) {
            long hash = 17;
            for (int number : NUMBERS) hash = hash * 31 + number;
            sink += hash;
        }
    }

    static void digits(int seed) {
        for (long end = until(); CLOCKS.getCurrentThreadCpuTime() < end; ) {
            long sum = 0;
            for (int at = 1; at < 2000; at++) for (int rest = at + seed; rest > 0; rest /= 10) sum += rest % 10;
            sink += sum;
        }
    }
}
