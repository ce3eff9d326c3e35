package java.lang.reflect;

import dalvik.annotation.optimization.FastNative;
import java.lang.annotation.Annotation;

public abstract class Executable extends AccessibleObject implements Member {

    private int accessFlags;
    private long artMethod;
    private Class<?> declaringClass;
    private Class<?> declaringClassOfOverriddenMethod;
    private int dexMethodIndex;
    private volatile boolean hasRealParameterData;
    private volatile Parameter[] parameters;

    @FastNative
    public native int compareMethodParametersInternal(Method a0);

    @FastNative
    public native Annotation getAnnotationNative(Class a0);

    @FastNative
    public native Annotation[] getDeclaredAnnotationsNative();

    @FastNative
    public native Annotation[][] getParameterAnnotationsNative();

    @FastNative
    public native String getMethodNameInternal();

    @FastNative
    public native Class<?> getMethodReturnTypeInternal();

    @FastNative
    public native Class<?>[] getParameterTypesInternal();

    @FastNative
    public native int getParameterCountInternal();

    @FastNative
    public native Parameter[] getParameters0();

    @FastNative
    public native String[] getSignatureAnnotation();

    @FastNative
    public native boolean isAnnotationPresentNative(Class a0);
}
