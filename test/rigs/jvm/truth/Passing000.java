/** Loaded many times over by the part "replace", each time under another number. */
public final class Passing000 {
    private static volatile Passing000 last;

    private long a, b, c, d, e, f, g, h;

    private Passing000() {}

    /** Objects of its own: about 2 MB of them. */
    public static void make() {
        for (int i = 0; i < 25_000; i++) last = new Passing000();
    }
}
