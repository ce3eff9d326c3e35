package java.lang;

public class UnsupportedOperationException extends RuntimeException {

    public UnsupportedOperationException() {}

    public UnsupportedOperationException(String m) {
        super(m);
    }

    public UnsupportedOperationException(String m, Throwable c) {
        super(m, c);
    }

    public UnsupportedOperationException(Throwable c) {
        super(c);
    }
}
