package java.lang;

public class IllegalAccessException extends ReflectiveOperationException {

    public IllegalAccessException() {}

    public IllegalAccessException(String m) {
        super(m);
    }

    public IllegalAccessException(String m, Throwable c) {
        super(m, c);
    }

    public IllegalAccessException(Throwable c) {
        super(c);
    }
}
