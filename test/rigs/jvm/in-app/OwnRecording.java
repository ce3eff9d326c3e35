import btrace.BTrace;
import java.lang.management.ManagementFactory;

/**
 * Records itself. Arguments: the agent's library, the file. Prints the CPU time of what it did, in ns, and then why no ring is dumped of
 * such a recording and what becomes of one that has no room.
 */
public final class OwnRecording {

    private static volatile long sink;

    public static void main(String[] arguments) {
        must(BTrace.loadFrom(arguments[0]));
        must(BTrace.start(arguments[1]));
        BTrace.marker("begin");
        long cpu = cpuNs();
        compute();
        cpu = cpuNs() - cpu;
        String noDump = problemOf(BTrace.dump(arguments[1] + ".dump"));
        must(BTrace.stop());
        must(BTrace.start("/dev/full"));
        String noRoom = problemOf(BTrace.stop());
        System.out.println(cpu + "\n" + noDump + "\n" + noRoom);
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
