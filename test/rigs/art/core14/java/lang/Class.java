package java.lang;

import dalvik.annotation.optimization.FastNative;
import dalvik.system.ClassExt;
import java.io.Serializable;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;

public final class Class<T> implements Serializable {

    private static final int ANNOTATION = 0x2000;
    private static final int ENUM = 0x4000;
    private static final int SYNTHETIC = 0x1000;
    private static final int FINALIZABLE = 0x80000000;
    private static final long serialVersionUID = 1L;
    private transient ClassLoader classLoader;
    private transient Class<?> componentType;
    private transient Object dexCache;
    private transient ClassExt extData;
    private transient Object[] ifTable;
    private transient String name;
    private transient Class<? super T> superClass;
    private transient Object vtable;
    private transient long iFields;
    private transient long methods;
    private transient long sFields;
    private transient int accessFlags;
    private transient int classFlags;
    private transient int classSize;
    private transient int clinitThreadId;
    private transient int dexClassDefIndex;
    private transient volatile int dexTypeIndex;
    private transient int numReferenceInstanceFields;
    private transient int numReferenceStaticFields;
    private transient int objectSize;
    private transient int objectSizeAllocFastPath;
    private transient int primitiveType;
    private transient int referenceInstanceOffsets;
    private transient int status;
    private transient short copiedMethodsOffset;
    private transient short virtualMethodsOffset;

    private Class() {}

    public String getName() {
        String n = name;
        if (n == null) {
            n = getNameNative();
            name = n;
        }
        return n;
    }

    @FastNative
    private native String getNameNative();

    public ClassLoader getClassLoader() {
        return classLoader;
    }

    public boolean isArray() {
        return componentType != null;
    }

    public boolean isPrimitive() {
        return (primitiveType & 0xffff) != 0;
    }

    public boolean isInterface() {
        return (accessFlags & 0x200) != 0;
    }

    public Class<?> getComponentType() {
        return componentType;
    }

    public Class<? super T> getSuperclass() {
        return isInterface() ? null : superClass;
    }

    public String toString() {
        return (isInterface() ? "interface " : isPrimitive() ? "" : "class ") + getName();
    }

    public boolean desiredAssertionStatus() {
        return false;
    }

    @FastNative
    public native T newInstance() throws InstantiationException, IllegalAccessException;

    @FastNative
    static native Class<?> getPrimitiveClass(String name);

    @FastNative
    static native Class<?> classForName(String n, boolean init, ClassLoader l) throws ClassNotFoundException;

    public static Class<?> forName(String n) throws ClassNotFoundException {
        return classForName(n, true, ClassLoader.getSystemClassLoader());
    }

    public static Class<?> forName(String n, boolean init, ClassLoader l) throws ClassNotFoundException {
        return classForName(n, init, l);
    }

    @FastNative
    public native Annotation getDeclaredAnnotation(java.lang.Class a0);

    @FastNative
    public native Annotation[] getDeclaredAnnotations();

    @FastNative
    public native java.lang.Class[] getDeclaredClasses();

    @FastNative
    public native Constructor<?> getDeclaredConstructorInternal(java.lang.Class[] a0);

    @FastNative
    public native Constructor<?>[] getDeclaredConstructorsInternal(boolean a0);

    @FastNative
    public native Field getDeclaredField(String a0);

    @FastNative
    public native Field getPublicFieldRecursive(String a0);

    @FastNative
    public native Field[] getDeclaredFields();

    @FastNative
    public native Field[] getDeclaredFieldsUnchecked(boolean a0);

    @FastNative
    public native Method getDeclaredMethodInternal(String a0, java.lang.Class[] a1);

    @FastNative
    public native Method[] getDeclaredMethodsUnchecked(boolean a0);

    @FastNative
    public native java.lang.Class getDeclaringClass();

    @FastNative
    public native java.lang.Class getEnclosingClass();

    @FastNative
    public native Constructor<?> getEnclosingConstructorNative();

    @FastNative
    public native Method getEnclosingMethodNative();

    @FastNative
    public native int getInnerClassFlags(int a0);

    @FastNative
    public native String getInnerClassName();

    @FastNative
    public native java.lang.Class[] getInterfacesInternal();

    @FastNative
    public native Field[] getPublicDeclaredFields();

    @FastNative
    public native String[] getSignatureAnnotation();

    @FastNative
    public native boolean isAnonymousClass();

    @FastNative
    public native boolean isDeclaredAnnotationPresent(java.lang.Class a0);

    // libart knows the size of Class's class: it has 67 virtual methods beyond Object's 11. These make up the number;
    // one is taken away for each virtual method that is added above.
    @FastNative
    public native dalvik.system.ClassExt ensureExtDataPresent();

    @FastNative
    public native Class getNestHostFromAnnotation();

    @FastNative
    public native Class[] getNestMembersFromAnnotation();

    @FastNative
    public native Class[] getPermittedSubclassesFromAnnotation();

    @FastNative
    public native Object[] getRecordAnnotationElement(String a0, Class a1);

    @FastNative
    public native boolean isRecord0();
    public void unused0() {}
    public void unused1() {}
    public void unused2() {}
    public void unused3() {}
    public void unused4() {}
    public void unused5() {}
    public void unused6() {}
    public void unused7() {}
    public void unused8() {}
    public void unused9() {}
    public void unused10() {}
    public void unused11() {}
    public void unused12() {}
    public void unused13() {}
    public void unused14() {}
    public void unused15() {}
    public void unused16() {}
    public void unused17() {}
    public void unused18() {}
    public void unused19() {}
    public void unused20() {}
    public void unused21() {}
    public void unused22() {}
    public void unused23() {}
    public void unused24() {}
    public void unused25() {}
    public void unused26() {}
    public void unused27() {}
    public void unused28() {}
    public void unused29() {}
    public void unused30() {}
    public void unused31() {}
    public void unused32() {}
    public void unused33() {}
    public void unused34() {}
    public void unused35() {}
    public void unused36() {}
    public void unused37() {}
    public void unused38() {}
    public void unused39() {}
    public void unused40() {}
    public void unused41() {}
    public void unused42() {}
    public void unused43() {}
}
