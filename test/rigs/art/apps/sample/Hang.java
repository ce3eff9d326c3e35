package sample;

/**
 * Messages whose costliest stack is known, on a JVM as in an app: most of the time goes into one method of eight, and a little before and after it
 * into others. Half of the eight compute, half sleep. On a busy machine the parts may come out otherwise: their times are told.
 */
public final class Hang {

    public static final int KINDS = 8;

    private static volatile int sink;

    private long random = 88172645463325252L;
    private int last = -1, beforeLast = -1;

    /** The same numbers in each run: the rig's library has no java.util.Random. */
    private int below(int limit) {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return (int) ((random >>> 1) % limit);
    }

    /** One of 480 to 630 ms, never as one of the two before it; the line says what it was. */
    public String longMessage() throws Exception {
        int kind;
        do kind = below(KINDS); while (kind == last || kind == beforeLast);
        beforeLast = last;
        last = kind;
        return run(kind, 480 + below(150));
    }

    /** One of 10 to 160 ms. */
    public String shortMessage() throws Exception {
        return run(below(KINDS), 10 + below(150));
    }

    private static String run(int kind, int ms) throws Exception {
        long begin = System.nanoTime();
        before(ms * 15 / 100);
        long costlyBegin = System.nanoTime();
        switch (kind) {
            case 0:
                computes0(ms * 60 / 100);
                break;
            case 1:
                computes1(ms * 60 / 100);
                break;
            case 2:
                computes2(ms * 60 / 100);
                break;
            case 3:
                computes3(ms * 60 / 100);
                break;
            case 4:
                sleeps4(ms * 60 / 100);
                break;
            case 5:
                sleeps5(ms * 60 / 100);
                break;
            case 6:
                sleeps6(ms * 60 / 100);
                break;
            default:
                sleeps7(ms * 60 / 100);
        }
        long costlyEnd = System.nanoTime();
        after(ms * 25 / 100);
        long end = System.nanoTime();
        String name = (kind < 4 ? "computes" : "sleeps") + kind;
        String costly = " costlyBegin=" + costlyBegin + " costlyEnd=" + costlyEnd;
        return "truth message method=sample.Hang." + name + " begin=" + begin + costly + " end=" + end;
    }

    // Each has its own loop: stacks with the same innermost method count as one.

    private static void before(long ms) {
        for (long end = System.nanoTime() + ms * 1000000; System.nanoTime() < end;) for (int i = 0; i < 10000; i++) sink = sink * 31 + i;
    }

    private static void after(long ms) {
        for (long end = System.nanoTime() + ms * 1000000; System.nanoTime() < end;) for (int i = 0; i < 10000; i++) sink = sink * 31 + i;
    }

    private static void computes0(long ms) {
        for (long end = System.nanoTime() + ms * 1000000; System.nanoTime() < end;) for (int i = 0; i < 10000; i++) sink = sink * 31 + i;
    }

    private static void computes1(long ms) {
        for (long end = System.nanoTime() + ms * 1000000; System.nanoTime() < end;) for (int i = 0; i < 10000; i++) sink = sink * 31 + i;
    }

    private static void computes2(long ms) {
        for (long end = System.nanoTime() + ms * 1000000; System.nanoTime() < end;) for (int i = 0; i < 10000; i++) sink = sink * 31 + i;
    }

    private static void computes3(long ms) {
        for (long end = System.nanoTime() + ms * 1000000; System.nanoTime() < end;) for (int i = 0; i < 10000; i++) sink = sink * 31 + i;
    }

    private static void sleeps4(long ms) throws Exception {
        Thread.sleep(ms);
    }

    private static void sleeps5(long ms) throws Exception {
        Thread.sleep(ms);
    }

    private static void sleeps6(long ms) throws Exception {
        Thread.sleep(ms);
    }

    private static void sleeps7(long ms) throws Exception {
        Thread.sleep(ms);
    }
}
