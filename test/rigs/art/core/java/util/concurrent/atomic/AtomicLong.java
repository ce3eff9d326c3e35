package java.util.concurrent.atomic;

import sun.misc.Unsafe;

public class AtomicLong extends Number {

    private volatile long value;
    private static final Unsafe U = Unsafe.getUnsafe();

    public synchronized long incrementAndGet() {
        return ++value;
    }

    public synchronized long addAndGet(long d) {
        return (value += d);
    }

    public long get() {
        return value;
    }

    public int intValue() {
        return (int) value;
    }

    public long longValue() {
        return value;
    }

    public float floatValue() {
        return value;
    }

    public double doubleValue() {
        return value;
    }

    public static native boolean VMSupportsCS8();
}
