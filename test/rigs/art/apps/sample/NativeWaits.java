package sample;

/** Waits inside native code, where no stack may be walked from inside: 20 ms in nanosleep, 20 ms in poll. */
public final class NativeWaits extends Sample {

    private static native void sleepInNative(int millis);

    private static native void pollInNative(int millis);

    public void onCreate() {
        System.loadLibrary("sample");
    }

    void round(int round) {
        System.loadLibrary("sample"); // is there already
        long began = System.nanoTime();
        sleepInNative(20);
        long between = System.nanoTime();
        pollInNative(20);
        new Truth("native").with("begin", began).with("between", between).with("end", System.nanoTime()).tell();
    }
}
