package java.lang;

public class NoSuchMethodException extends ReflectiveOperationException {

    public NoSuchMethodException() {}

    public NoSuchMethodException(String m) {
        super(m);
    }

    public NoSuchMethodException(String m, Throwable c) {
        super(m, c);
    }

    public NoSuchMethodException(Throwable c) {
        super(c);
    }
}
