package android.os;

public final class SystemClock {

    public static long uptimeMillis() {
        return System.nanoTime() / 1000000L;
    }

    /** CPU time of the calling thread, ns. Not in Android's class of this name; the sample apps measure themselves with it. */
    public static native long currentThreadCpuNanos();
}
