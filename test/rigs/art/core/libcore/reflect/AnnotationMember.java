package libcore.reflect;

import java.lang.reflect.Method;

public final class AnnotationMember {

    public AnnotationMember(String n, Object v, Class t, Method m) {}
}
