package java.lang;

public final class Integer extends Number implements Comparable<Integer> {

    public static final Class<Integer> TYPE = (Class<Integer>) (Class) Class.getPrimitiveClass("int");
    public static final int MAX_VALUE = 0x7fffffff;
    public static final int MIN_VALUE = 0x80000000;
    private final int value;

    private static final class IntegerCache {

        static final Integer[] cache = make();
        static final int low = -128;
        static final int high = 127;

        static Integer[] make() {
            Integer[] c = new Integer[256];
            for (int i = 0; i < 256; i++) c[i] = new Integer(i - 128);
            return c;
        }
    }

    public Integer(int v) {
        value = v;
    }

    public static Integer valueOf(int i) {
        return i >= -128 && i <= 127 ? IntegerCache.cache[i + 128] : new Integer(i);
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

    public int hashCode() {
        return value;
    }

    public boolean equals(Object o) {
        return o instanceof Integer && ((Integer) o).value == value;
    }

    public int compareTo(Integer o) {
        return compare(value, o.value);
    }

    public static int compare(int a, int b) {
        return a < b ? -1 : a == b ? 0 : 1;
    }

    public String toString() {
        return toString(value);
    }

    public static String toString(int v) {
        return Long.toString((long) v);
    }

    public static int parseInt(String s) {
        int r = 0,
        i = 0;
        boolean neg = s.length() > 0 && s.charAt(0) == '-';
        if (neg) i = 1;
        for (; i < s.length(); i++) r = r * 10 + (s.charAt(i) - '0');
        return neg ? -r : r;
    }

    public static String toHexString(int v) {
        char[] c = new char[8];
        int n = 8;
        do {
            int d = v & 15;
            c[--n] = (char) (d < 10 ? '0' + d : 'a' + d - 10);
            v >>>= 4;
        } while (v != 0);
        return new String(c, n, 8 - n);
    }

    public static native int reverse(int a0);

    public static native int reverseBytes(int a0);

    public static native int bitCount(int a0);

    public static native int highestOneBit(int a0);

    public static native int lowestOneBit(int a0);

    public static native int numberOfLeadingZeros(int a0);

    public static native int numberOfTrailingZeros(int a0);

    public static native int rotateRight(int a0, int a1);

    public static native int rotateLeft(int a0, int a1);

    public static native int signum(int a0);
    public static native int divideUnsigned(int a0, int a1);
}
