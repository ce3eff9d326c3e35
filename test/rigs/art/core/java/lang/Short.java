package java.lang;

public final class Short extends Number {

    private final short value;

    public Short(short v) {
        value = v;
    }

    public static Short valueOf(short v) {
        return new Short(v);
    }

    public int intValue() {
        return (int) value;
    }

    public long longValue() {
        return (long) value;
    }

    public float floatValue() {
        return (float) value;
    }

    public double doubleValue() {
        return (double) value;
    }

    public String toString() {
        return Long.toString((long) value);
    }

    public static native short reverseBytes(short a0);
}
