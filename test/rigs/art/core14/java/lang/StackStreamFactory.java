package java.lang;

import dalvik.annotation.optimization.FastNative;
final class StackStreamFactory {
    @FastNative
    public static native Object nativeGetStackAnchor();

    @FastNative
    public static native int nativeFetchStackFrameInfo(long a0, Object a1, int a2, int a3, int a4, Object[] a5);
}
