/** Loaded many times over by the part "load". */
public final class Loaded {
    private Loaded() {}

    /** Waits, so that it is seen each time. */
    public static int touch() throws InterruptedException {
        Thread.sleep(1);
        return new int[16].length;
    }
}
