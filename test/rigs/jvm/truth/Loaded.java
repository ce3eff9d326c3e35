/** Loaded many times over by the part "load". */
public final class Loaded {
    private Loaded() {}

    public static int touch() {
        return new int[16].length;
    }
}
