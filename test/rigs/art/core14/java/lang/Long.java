package java.lang;

public final class Long extends Number {

    public static final long MAX_VALUE = 0x7fffffffffffffffL;
    private final long value;

    public Long(long v) {
        value = v;
    }

    public static Long valueOf(long v) {
        return new Long(v);
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

    public int hashCode() {
        return (int) (value ^ (value >>> 32));
    }

    public boolean equals(Object o) {
        return o instanceof Long && ((Long) o).value == value;
    }

    public String toString() {
        return toString(value);
    }

    public static String toString(long v) {
        if (v == 0) return "0";
        char[] c = new char[20];
        int n = 20;
        boolean neg = v < 0;
        while (v != 0) {
            int d = (int) (v % 10);
            if (d < 0) d = -d;
            c[--n] = (char) ('0' + d);
            v /= 10;
        }
        if (neg) c[--n] = '-';
        return new String(c, n, 20 - n);
    }

    public static native long reverse(long a0);

    public static native long reverseBytes(long a0);

    public static native int bitCount(long a0);

    public static native int compare(long a0, long a1);

    public static native long highestOneBit(long a0);

    public static native long lowestOneBit(long a0);

    public static native int numberOfLeadingZeros(long a0);

    public static native int numberOfTrailingZeros(long a0);

    public static native long rotateRight(long a0, int a1);

    public static native long rotateLeft(long a0, int a1);

    public static native int signum(long a0);
    public static native long divideUnsigned(long a0, long a1);
}
