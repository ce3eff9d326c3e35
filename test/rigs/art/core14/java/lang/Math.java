package java.lang;

public final class Math {

    public static int max(int a, int b) {
        return a > b ? a : b;
    }

    public static int min(int a, int b) {
        return a < b ? a : b;
    }

    public static long max(long a, long b) {
        return a > b ? a : b;
    }

    public static long min(long a, long b) {
        return a < b ? a : b;
    }

    public static int abs(int a) {
        return a < 0 ? -a : a;
    }

    public static long abs(long a) {
        return a < 0 ? -a : a;
    }

    public static native double abs(double a0);

    public static native float abs(float a0);

    public static native double min(double a0, double a1);

    public static native float min(float a0, float a1);

    public static native double max(double a0, double a1);

    public static native float max(float a0, float a1);

    public static native double cos(double a0);

    public static native double sin(double a0);

    public static native double acos(double a0);

    public static native double asin(double a0);

    public static native double atan(double a0);

    public static native double atan2(double a0, double a1);

    public static native double pow(double a0, double a1);

    public static native double cbrt(double a0);

    public static native double cosh(double a0);

    public static native double exp(double a0);

    public static native double expm1(double a0);

    public static native double hypot(double a0, double a1);

    public static native double log(double a0);

    public static native double log10(double a0);

    public static native double nextAfter(double a0, double a1);

    public static native double sinh(double a0);

    public static native double tan(double a0);

    public static native double tanh(double a0);

    public static native double sqrt(double a0);

    public static native double ceil(double a0);

    public static native double floor(double a0);

    public static native double rint(double a0);

    public static native long round(double a0);

    public static native int round(float a0);
    public static native double fma(double a0, double a1, double a2);
    public static native float fma(float a0, float a1, float a2);
    public static native long multiplyHigh(long a0, long a1);
}
