package libcore.io;

public final class Memory {

    public static native byte peekByte(long a0);

    public static native int peekIntNative(long a0);

    public static native long peekLongNative(long a0);

    public static native short peekShortNative(long a0);

    public static native void pokeByte(long a0, byte a1);

    public static native void pokeIntNative(long a0, int a1);

    public static native void pokeLongNative(long a0, long a1);

    public static native void pokeShortNative(long a0, short a1);
}
