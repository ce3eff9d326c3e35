package libcore.io;

import dalvik.annotation.optimization.FastNative;

public final class Memory {

    public static native byte peekByte(long a0);

    public static native int peekIntNative(long a0);

    public static native long peekLongNative(long a0);

    public static native short peekShortNative(long a0);

    public static native void pokeByte(long a0, byte a1);

    public static native void pokeIntNative(long a0, int a1);

    public static native void pokeLongNative(long a0, long a1);

    public static native void pokeShortNative(long a0, short a1);

    @FastNative
    public static native void peekByteArray(long a0, byte[] a1, int a2, int a3);

    @FastNative
    public static native void peekCharArray(long a0, char[] a1, int a2, int a3, boolean a4);

    @FastNative
    public static native void peekDoubleArray(long a0, double[] a1, int a2, int a3, boolean a4);

    @FastNative
    public static native void peekFloatArray(long a0, float[] a1, int a2, int a3, boolean a4);

    @FastNative
    public static native void peekIntArray(long a0, int[] a1, int a2, int a3, boolean a4);

    @FastNative
    public static native void peekLongArray(long a0, long[] a1, int a2, int a3, boolean a4);

    @FastNative
    public static native void peekShortArray(long a0, short[] a1, int a2, int a3, boolean a4);
}
