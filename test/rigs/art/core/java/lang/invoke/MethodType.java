package java.lang.invoke;

public final class MethodType {

    private Object form;
    private String methodDescriptor;
    private Class<?>[] ptypes;
    private Class<?> rtype;
    private Object wrapAlt;
}
