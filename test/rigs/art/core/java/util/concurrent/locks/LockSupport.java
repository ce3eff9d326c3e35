package java.util.concurrent.locks;

import sun.misc.Unsafe;

public class LockSupport {

    private static final Unsafe UNSAFE = Unsafe.getUnsafe();
    private static final long PARK_BLOCKER = UNSAFE.objectFieldOffset(Thread.class, "parkBlocker");

    public static void park() {
        UNSAFE.park(false, 0L);
    }

    public static void park(Object blocker) {
        Thread thread = Thread.currentThread();
        UNSAFE.putObject(thread, PARK_BLOCKER, blocker);
        UNSAFE.park(false, 0L);
        UNSAFE.putObject(thread, PARK_BLOCKER, null);
    }

    public static void parkNanos(long nanos) {
        if (nanos > 0) UNSAFE.park(false, nanos);
    }

    public static void parkNanos(Object blocker, long nanos) {
        if (nanos <= 0) return;
        Thread thread = Thread.currentThread();
        UNSAFE.putObject(thread, PARK_BLOCKER, blocker);
        UNSAFE.park(false, nanos);
        UNSAFE.putObject(thread, PARK_BLOCKER, null);
    }

    public static void unpark(Thread thread) {
        if (thread != null) UNSAFE.unpark(thread);
    }
}
