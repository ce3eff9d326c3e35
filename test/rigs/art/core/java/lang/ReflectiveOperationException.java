package java.lang;

public class ReflectiveOperationException extends Exception {

    public ReflectiveOperationException() {}

    public ReflectiveOperationException(String m) {
        super(m);
    }

    public ReflectiveOperationException(String m, Throwable c) {
        super(m, c);
    }

    public ReflectiveOperationException(Throwable c) {
        super(c);
    }
}
