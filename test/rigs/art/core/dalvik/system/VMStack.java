package dalvik.system;

import dalvik.annotation.optimization.FastNative;

public final class VMStack {

    @FastNative
    public static native int fillStackTraceElements(Thread a0, StackTraceElement[] a1);

    @FastNative
    public static native ClassLoader getCallingClassLoader();

    @FastNative
    public static native ClassLoader getClosestUserClassLoader();

    @FastNative
    public static native Class<?> getStackClass2();

    @FastNative
    public static native StackTraceElement[] getThreadStackTrace(Thread a0);

    @FastNative
    public static native AnnotatedStackTraceElement[] getAnnotatedThreadStackTrace(Thread a0);
}
