package java.util.concurrent.atomic;

import sun.misc.Unsafe;

public class AtomicInteger extends Number {

    private static final Unsafe UNSAFE = Unsafe.getUnsafe();
    private static final long VALUE = UNSAFE.objectFieldOffset(AtomicInteger.class, "value");

    private volatile int value;

    public AtomicInteger() {}

    public AtomicInteger(int value) {
        this.value = value;
    }

    public final int get() {
        return value;
    }

    public final void set(int value) {
        this.value = value;
    }

    public final boolean compareAndSet(int expected, int update) {
        return UNSAFE.compareAndSwapInt(this, VALUE, expected, update);
    }

    public final int addAndGet(int delta) {
        for (;;) {
            int before = value;
            if (compareAndSet(before, before + delta)) return before + delta;
        }
    }

    public final int incrementAndGet() {
        return addAndGet(1);
    }

    public final int decrementAndGet() {
        return addAndGet(-1);
    }

    public int intValue() {
        return value;
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
}
