import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.zip.CRC32;

/**
 * Works in code that the JVM has of its own for what methods call: sines, copies, checksums. Prints at its end what the methods used:
 * "used SINES_NS COPIES_NS CHECKSUMS_NS". Says "ready" when they are compiled.
 */
public final class Stubs {
    private static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private static volatile boolean open = true;
    private static volatile double sink;

    private static void sines(int rounds) {
        double sum = 0;
        for (int i = 0; i < rounds; i++) sum += Math.sin(sum + i);
        sink = sum;
    }

    private static void copies(byte[] from, byte[] to, int rounds) {
        for (int i = 0; i < rounds; i++) System.arraycopy(from, 0, to, i & 63, from.length);
        sink = to[1];
    }

    private static void checksums(byte[] of, int rounds) {
        CRC32 sum = new CRC32();
        for (int i = 0; i < rounds; i++) sum.update(of, 0, of.length);
        sink = sum.getValue();
    }

    public static void main(String[] args) throws Exception {
        byte[] from = new byte[1 << 14];
        byte[] to = new byte[1 << 15];
        long[] used = new long[3];
        Thread worker = new Thread(() -> {
            // Stretches of many lengths keep no step with a clock.
            for (int turn = 0; open; turn++) {
                int longer = turn * 7919 & 1023;
                if (turn == 200) {
                    java.util.Arrays.fill(used, 0);
                    System.out.println("ready");
                }
                long at = threads.getCurrentThreadCpuTime();
                sines(40_000 + 40 * longer);
                used[0] += -at + (at = threads.getCurrentThreadCpuTime());
                copies(from, to, 2_000 + 2 * longer);
                used[1] += -at + (at = threads.getCurrentThreadCpuTime());
                checksums(from, 400 + longer / 2);
                used[2] += -at + threads.getCurrentThreadCpuTime();
            }
        }, "worker");
        worker.start();
        while (System.in.read() >= 0) continue;
        open = false;
        worker.join();
        System.out.println("used " + used[0] + " " + used[1] + " " + used[2]);
    }
}
