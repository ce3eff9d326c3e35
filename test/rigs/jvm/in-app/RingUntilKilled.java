import btrace.BTrace;

/**
 * Records itself in a ring and computes until it is killed. Arguments: the agent's library, the file. Prints the clock, in ns, when it has
 * done so for a second and a half.
 */
public final class RingUntilKilled {

    private static volatile long sink;

    public static void main(String[] arguments) {
        if (!BTrace.loadFrom(arguments[0]) || !BTrace.startRing(arguments[1], 30)) {
            throw new IllegalStateException(BTrace.problem());
        }
        long told = System.nanoTime() + 1_500_000_000L;
        for (boolean isTold = false; ; ) {
            odd();
            even();
            if (isTold || System.nanoTime() < told) continue;
            isTold = true;
            System.out.println(System.nanoTime());
        }
    }

    private static void odd() {
        compute();
    }

    private static void even() {
        compute();
    }

    private static void compute() {
        long until = System.nanoTime() + 20_000_000L;
        while (System.nanoTime() < until) for (int i = 0; i < 10_000; i++) sink += Long.numberOfTrailingZeros(sink | 1);
    }
}
