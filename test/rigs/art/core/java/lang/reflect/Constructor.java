package java.lang.reflect;

import dalvik.annotation.optimization.FastNative;

public final class Constructor<T> extends Executable {

    @FastNative
    public native Class<?>[] getExceptionTypes();

    @FastNative
    public native Object newInstance0(Object[] a0);

    @FastNative
    public static native Object newInstanceFromSerialization(Class a0, Class a1);
}
