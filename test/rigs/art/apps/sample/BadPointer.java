package sample;

/** Allocates while its own frame names a method at an address where nothing is: who walks the stack then, meets it. */
public final class BadPointer extends Sample {

    private final int[] held = new int[1];

    /** Returns in how many places the bad pointer stood meanwhile. */
    private static native int allocateWithBadFrame(int[] held, int objects);

    public void onCreate() {
        System.loadLibrary("sample");
    }

    void round(int round) {
        Cpu.burnQuietly(5000); // so that a sample is due
        int places = allocateWithBadFrame(held, 10);
        new Truth("planted").with("places", places).tell();
    }
}
