package java.lang.reflect;

import dalvik.annotation.optimization.FastNative;

public final class Array {

    @FastNative
    public static native Object createMultiArray(Class a0, int[] a1);

    @FastNative
    public static native Object createObjectArray(Class a0, int a1);
}
