/** Loaded many times over by the part "inline". */
public final class Inlined {
    private Inlined() {}

    public static int outer(long until) {
        int hash = 1;
        while (System.nanoTime() < until) {
            for (int i = 0; i < 100_000; i++) hash = inner(hash + i);
        }
        return hash;
    }

    /** So short a loop is unrolled: there is no safepoint in it, where the JVM would know it by itself. */
    private static int inner(int hash) {
        for (int i = 0; i < 40; i++) hash = hash * 31 + (hash >>> 3);
        return hash;
    }
}
