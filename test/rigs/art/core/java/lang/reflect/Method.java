package java.lang.reflect;

import dalvik.annotation.optimization.FastNative;

public final class Method extends Executable {

    @FastNative
    public native Object getDefaultValue();

    @FastNative
    public native Class<?>[] getExceptionTypes();

    @FastNative
    public native Object invoke(Object a0, Object[] a1);
}
