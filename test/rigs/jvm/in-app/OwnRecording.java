import btrace.BTrace;
import java.lang.management.ManagementFactory;

/**
 * Records itself, whole and then in a ring that it dumps. Arguments: the agent's library, the file; it may write no file of 8 MiB. Prints the
 * CPU time of what it did in each, in ns, and then why no ring is dumped of the first, and no recording begun in a device and in too little room.
 */
public final class OwnRecording {

    private static volatile long sink;

    public static void main(String[] arguments) {
        must(BTrace.loadFrom(arguments[0]));
        must(BTrace.start(arguments[1]));
        BTrace.marker("begin");
        addOrder(3);
        addOrder(-1);
        addOrder(Long.MAX_VALUE);
        long cpu = cpuNs();
        compute();
        cpu = cpuNs() - cpu;
        String noDump = problemOf(BTrace.dump(arguments[1] + ".dump"));
        must(BTrace.stop());
        must(BTrace.start(arguments[1] + ".ring", 30_000_000_000L, 4 << 20));
        long ringCpu = cpuNs();
        compute();
        ringCpu = cpuNs() - ringCpu;
        must(BTrace.dump(arguments[1] + ".dump"));
        must(BTrace.stop());
        String noFile = problemOf(BTrace.start("/dev/full"));
        String noRoom = problemOf(BTrace.startRing(arguments[1] + ".large", 30));
        System.out.println(cpu + "\n" + ringCpu + "\n" + noDump + "\n" + noFile + "\n" + noRoom);
    }

    private static void addOrder(long orders) {
        BTrace.counter("orders", orders);
    }

    private static String problemOf(boolean done) {
        return done ? "none" : BTrace.problem();
    }

    private static void compute() {
        long until = cpuNs() + 300_000_000L;
        while (cpuNs() < until) for (int i = 0; i < 10_000; i++) sink += Long.numberOfTrailingZeros(sink | 1);
    }

    private static long cpuNs() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static void must(boolean done) {
        if (!done) throw new IllegalStateException(BTrace.problem());
    }
}
