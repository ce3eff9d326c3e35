package java.lang;

public class NoSuchFieldException extends ReflectiveOperationException {

    public NoSuchFieldException() {}

    public NoSuchFieldException(String m) {
        super(m);
    }

    public NoSuchFieldException(String m, Throwable c) {
        super(m, c);
    }

    public NoSuchFieldException(Throwable c) {
        super(c);
    }
}
