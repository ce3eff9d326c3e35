package libcore.util;

import dalvik.annotation.optimization.FastNative;

public final class CharsetUtils {

    @FastNative
    public static native void asciiBytesToChars(byte[] a0, int a1, int a2, char[] a3);

    @FastNative
    public static native void isoLatin1BytesToChars(byte[] a0, int a1, int a2, char[] a3);

    @FastNative
    public static native byte[] toAsciiBytes(String a0, int a1, int a2);

    @FastNative
    public static native byte[] toIsoLatin1Bytes(String a0, int a1, int a2);

    @FastNative
    public static native byte[] toUtf8Bytes(String a0, int a1, int a2);
}
