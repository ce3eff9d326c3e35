package java.lang.reflect;

import dalvik.annotation.optimization.FastNative;
import java.lang.annotation.Annotation;

public final class Field extends AccessibleObject implements Member {

    private int accessFlags;
    private int artFieldIndex;
    private Class<?> declaringClass;
    private int offset;
    private Class<?> type;

    public int getOffset() {
        return offset;
    }

    @FastNative
    public native Object get(Object a0);

    @FastNative
    public native boolean getBoolean(Object a0);

    @FastNative
    public native byte getByte(Object a0);

    @FastNative
    public native char getChar(Object a0);

    @FastNative
    public native Annotation getAnnotationNative(Class a0);

    @FastNative
    public native long getArtField();

    @FastNative
    public native Annotation[] getDeclaredAnnotations();

    @FastNative
    public native String[] getSignatureAnnotation();

    @FastNative
    public native double getDouble(Object a0);

    @FastNative
    public native float getFloat(Object a0);

    @FastNative
    public native int getInt(Object a0);

    @FastNative
    public native long getLong(Object a0);

    @FastNative
    public native String getNameInternal();

    @FastNative
    public native short getShort(Object a0);

    @FastNative
    public native boolean isAnnotationPresentNative(Class a0);

    @FastNative
    public native void set(Object a0, Object a1);

    @FastNative
    public native void setBoolean(Object a0, boolean a1);

    @FastNative
    public native void setByte(Object a0, byte a1);

    @FastNative
    public native void setChar(Object a0, char a1);

    @FastNative
    public native void setDouble(Object a0, double a1);

    @FastNative
    public native void setFloat(Object a0, float a1);

    @FastNative
    public native void setInt(Object a0, int a1);

    @FastNative
    public native void setLong(Object a0, long a1);

    @FastNative
    public native void setShort(Object a0, short a1);
}
