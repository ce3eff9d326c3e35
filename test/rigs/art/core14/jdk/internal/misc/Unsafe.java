package jdk.internal.misc;

import dalvik.annotation.optimization.FastNative;
public final class Unsafe {
    private static final Unsafe it = new Unsafe();
    public static Unsafe getUnsafe() {
        return it;
    }

    @FastNative
    public native boolean compareAndSwapInt(Object a0, long a1, int a2, int a3);

    @FastNative
    public native boolean compareAndSwapLong(Object a0, long a1, long a2, long a3);

    @FastNative
    public native boolean compareAndSwapObject(Object a0, long a1, Object a2, Object a3);

    @FastNative
    public native boolean compareAndSetInt(Object a0, long a1, int a2, int a3);

    @FastNative
    public native boolean compareAndSetLong(Object a0, long a1, long a2, long a3);

    @FastNative
    public native boolean compareAndSetReference(Object a0, long a1, Object a2, Object a3);

    @FastNative
    public native int getIntVolatile(Object a0, long a1);

    @FastNative
    public native void putIntVolatile(Object a0, long a1, int a2);

    @FastNative
    public native long getLongVolatile(Object a0, long a1);

    @FastNative
    public native void putLongVolatile(Object a0, long a1, long a2);

    @FastNative
    public native Object getReferenceVolatile(Object a0, long a1);

    @FastNative
    public native void putReferenceVolatile(Object a0, long a1, Object a2);

    @FastNative
    public native int getInt(Object a0, long a1);

    @FastNative
    public native void putInt(Object a0, long a1, int a2);

    @FastNative
    public native void putOrderedInt(Object a0, long a1, int a2);

    @FastNative
    public native long getLong(Object a0, long a1);

    @FastNative
    public native void putLong(Object a0, long a1, long a2);

    @FastNative
    public native void putOrderedLong(Object a0, long a1, long a2);

    @FastNative
    public native Object getReference(Object a0, long a1);

    @FastNative
    public native void putReference(Object a0, long a1, Object a2);

    @FastNative
    public native void putOrderedObject(Object a0, long a1, Object a2);

    @FastNative
    public static native int getArrayBaseOffsetForComponentType(Class a0);

    @FastNative
    public static native int getArrayIndexScaleForComponentType(Class a0);

    @FastNative
    public native int addressSize();

    @FastNative
    public native int pageSize();

    @FastNative
    public native long allocateMemory(long a0);

    @FastNative
    public native void freeMemory(long a0);

    @FastNative
    public native void setMemory(long a0, long a1, byte a2);

    @FastNative
    public native void copyMemory0(Object a0, long a1, Object a2, long a3, long a4);

    @FastNative
    public native boolean getBoolean(Object a0, long a1);

    @FastNative
    public native byte getByte(Object a0, long a1);

    @FastNative
    public native char getChar(Object a0, long a1);

    @FastNative
    public native short getShort(Object a0, long a1);

    @FastNative
    public native float getFloat(Object a0, long a1);

    @FastNative
    public native double getDouble(Object a0, long a1);

    @FastNative
    public native void putBoolean(Object a0, long a1, boolean a2);

    @FastNative
    public native void putByte(Object a0, long a1, byte a2);

    @FastNative
    public native void putChar(Object a0, long a1, char a2);

    @FastNative
    public native void putShort(Object a0, long a1, short a2);

    @FastNative
    public native void putFloat(Object a0, long a1, float a2);

    @FastNative
    public native void putDouble(Object a0, long a1, double a2);

    @FastNative
    public native void unpark(Object a0);
    public native void park(boolean a0, long a1);

    @FastNative
    public native byte getByte(long a0);

    @FastNative
    public native char getChar(long a0);

    @FastNative
    public native short getShort(long a0);

    @FastNative
    public native int getInt(long a0);

    @FastNative
    public native long getLong(long a0);

    @FastNative
    public native float getFloat(long a0);

    @FastNative
    public native double getDouble(long a0);

    @FastNative
    public native void putByte(long a0, byte a1);

    @FastNative
    public native void putChar(long a0, char a1);

    @FastNative
    public native void putShort(long a0, short a1);

    @FastNative
    public native void putInt(long a0, int a1);

    @FastNative
    public native void putLong(long a0, long a1);

    @FastNative
    public native void putFloat(long a0, float a1);

    @FastNative
    public native void putDouble(long a0, double a1);

    @FastNative
    public native void loadFence();

    @FastNative
    public native void storeFence();

    @FastNative
    public native void fullFence();
    public native boolean compareAndSetObject(Object a0, long a1, Object a2, Object a3);
    public native int getIntAcquire(Object a0, long a1);
    public native Object getObject(Object a0, long a1);
    public native Object getObjectVolatile(Object a0, long a1);
    public native Object getObjectAcquire(Object a0, long a1);
    public native long getLongAcquire(Object a0, long a1);
    public native void putIntRelease(Object a0, long a1, int a2);
    public native void putObject(Object a0, long a1, Object a2);
    public native void putObjectVolatile(Object a0, long a1, Object a2);
    public native void putObjectRelease(Object a0, long a1, Object a2);
    public native void putLongRelease(Object a0, long a1, long a2);
    public native int getAndAddInt(Object a0, long a1, int a2);
    public native long getAndAddLong(Object a0, long a1, long a2);
    public native int getAndSetInt(Object a0, long a1, int a2);
    public native long getAndSetLong(Object a0, long a1, long a2);
    public native Object getAndSetObject(Object a0, long a1, Object a2);
}
