package java.lang;

public final class Double extends Number {

    private final double value;

    public Double(double v) {
        value = v;
    }

    public static Double valueOf(double v) {
        return new Double(v);
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

    public static native long doubleToRawLongBits(double a0);

    public static native long doubleToLongBits(double a0);

    public static native boolean isInfinite(double a0);

    public static native boolean isNaN(double a0);

    public static native double longBitsToDouble(long a0);
}
