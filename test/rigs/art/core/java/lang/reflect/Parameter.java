package java.lang.reflect;

import dalvik.annotation.optimization.FastNative;
import java.lang.annotation.Annotation;

public final class Parameter {

    private final String name;
    private final int modifiers;
    private final Executable executable;
    private final int index;

    Parameter(String n, int m, Executable e, int i) {
        name = n;
        modifiers = m;
        executable = e;
        index = i;
    }

    @FastNative
    public static native Annotation getAnnotationNative(Executable a0, int a1, Class a2);
}
