package java.lang;

public final class Float extends Number {

    private final float value;

    public Float(float v) {
        value = v;
    }

    public static Float valueOf(float v) {
        return new Float(v);
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

    public static native int floatToRawIntBits(float a0);

    public static native int floatToIntBits(float a0);

    public static native boolean isInfinite(float a0);

    public static native boolean isNaN(float a0);

    public static native float intBitsToFloat(int a0);
}
