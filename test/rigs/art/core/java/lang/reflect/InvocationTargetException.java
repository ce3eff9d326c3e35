package java.lang.reflect;

public class InvocationTargetException extends ReflectiveOperationException {

    public InvocationTargetException(Throwable t) {
        super(null, t);
    }
}
