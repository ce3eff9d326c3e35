package java.lang.reflect;

public class UndeclaredThrowableException extends RuntimeException {

    public UndeclaredThrowableException() {}

    public UndeclaredThrowableException(String m) {
        super(m);
    }

    public UndeclaredThrowableException(String m, Throwable c) {
        super(m, c);
    }

    public UndeclaredThrowableException(Throwable c) {
        super(c);
    }
}
