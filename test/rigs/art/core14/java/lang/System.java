package java.lang;

import dalvik.annotation.optimization.FastNative;
import java.io.PrintStream;

public final class System {

    public static final PrintStream out = new PrintStream(1);
    public static final PrintStream err = new PrintStream(2);

    public static native long nanoTime();

    public static native long currentTimeMillis();

    public static int identityHashCode(Object o) {
        return Object.identityHashCode(o);
    }

    public static void exit(int status) {
        Runtime.getRuntime().exit(status);
    }

    public static void gc() {
        Runtime.getRuntime().gc();
    }

    public static void loadLibrary(String n) {
        load("lib" + n + ".so");
    }

    public static void load(String f) {
        String e = Runtime.nativeLoad(f, ClassLoader.getSystemClassLoader(), null);
        if (e != null) throw new UnsatisfiedLinkError(e);
    }

    @FastNative
    public static native void arraycopy(Object s, int so, Object d, int dof, int n);

    @FastNative
    public static native void arraycopyCharUnchecked(char[] a0, int a1, char[] a2, int a3, int a4);

    @FastNative
    public static native void arraycopyByteUnchecked(byte[] a0, int a1, byte[] a2, int a3, int a4);

    @FastNative
    public static native void arraycopyShortUnchecked(short[] a0, int a1, short[] a2, int a3, int a4);

    @FastNative
    public static native void arraycopyIntUnchecked(int[] a0, int a1, int[] a2, int a3, int a4);

    @FastNative
    public static native void arraycopyLongUnchecked(long[] a0, int a1, long[] a2, int a3, int a4);

    @FastNative
    public static native void arraycopyFloatUnchecked(float[] a0, int a1, float[] a2, int a3, int a4);

    @FastNative
    public static native void arraycopyDoubleUnchecked(double[] a0, int a1, double[] a2, int a3, int a4);

    @FastNative
    public static native void arraycopyBooleanUnchecked(boolean[] a0, int a1, boolean[] a2, int a3, int a4);

    public static native void arraycopy(char[] a0, int a1, char[] a2, int a3, int a4);
    public static native void arraycopy(byte[] a0, int a1, byte[] a2, int a3, int a4);
    public static native void arraycopy(int[] a0, int a1, int[] a2, int a3, int a4);
}
