package java.lang.reflect;

public interface InvocationHandler {
    Object invoke(Object p, Method m, Object[] a) throws Throwable;
}
