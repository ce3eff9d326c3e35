package java.lang;

import dalvik.annotation.optimization.FastNative;
import java.nio.charset.Charset;

public final class StringFactory {

    private static char[] wide(byte[] a, int o, int n) {
        char[] c = new char[n];
        for (int i = 0; i < n; i++) c[i] = (char) (a[o + i] & 0xff);
        return c;
    }

    static String newStringFromBytes(byte[] a, byte coder) {
        return newStringFromBytes(a, 0, 0, a.length);
    }

    public static String newEmptyString() {
        return newStringFromChars(0, 0, new char[0]);
    }

    public static String newStringFromBytes(byte[] a) {
        return newStringFromBytes(a, 0, 0, a.length);
    }

    public static String newStringFromBytes(byte[] a, int hi) {
        return newStringFromBytes(a, hi, 0, a.length);
    }

    public static String newStringFromBytes(byte[] a, int o, int n) {
        return newStringFromBytes(a, 0, o, n);
    }

    @FastNative
    public static native String newStringFromBytes(byte[] a, int hi, int o, int n);

    public static String newStringFromBytes(byte[] a, int o, int n, String cs) {
        return newStringFromBytes(a, 0, o, n);
    }

    public static String newStringFromBytes(byte[] a, String cs) {
        return newStringFromBytes(a, 0, 0, a.length);
    }

    public static String newStringFromBytes(byte[] a, int o, int n, Charset cs) {
        return newStringFromBytes(a, 0, o, n);
    }

    public static String newStringFromBytes(byte[] a, Charset cs) {
        return newStringFromBytes(a, 0, 0, a.length);
    }

    public static String newStringFromChars(char[] a) {
        return newStringFromChars(0, a.length, a);
    }

    public static String newStringFromChars(char[] a, int o, int n) {
        return newStringFromChars(o, n, a);
    }

    @FastNative
    static native String newStringFromChars(int o, int n, char[] a);

    @FastNative
    public static native String newStringFromString(String s);

    public static String newStringFromStringBuffer(StringBuffer b) {
        return b.toString();
    }

    public static String newStringFromCodePoints(int[] a, int o, int n) {
        char[] c = new char[n];
        for (int i = 0; i < n; i++) c[i] = (char) a[o + i];
        return newStringFromChars(0, n, c);
    }

    public static String newStringFromStringBuilder(StringBuilder b) {
        return b.toString();
    }

    @FastNative
    public static native String newStringFromUtf8Bytes(byte[] a0, int a1, int a2);

    @FastNative
    public static native String newStringFromUtf16Bytes(byte[] a0, int a1, int a2);
}
