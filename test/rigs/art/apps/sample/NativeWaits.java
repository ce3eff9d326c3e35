package sample;

import dalvik.annotation.optimization.FastNative;

/**
 * Waits inside native code, where no stack may be walked from inside: 20 ms in nanosleep, 20 ms in poll. Arguments: rounds, and how long it
 * then sleeps as no native should, Runnable (0 ms).
 */
public final class NativeWaits extends Sample {

    private static native void sleepInNative(int millis);

    private static native void pollInNative(int millis);

    @FastNative
    private static native void sleepRunnable(int millis);

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
        int runnable = argument(1, 0);
        if (runnable > 0) sleepRunnable(runnable);
    }
}
