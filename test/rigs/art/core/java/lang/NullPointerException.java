package java.lang;

public class NullPointerException extends RuntimeException {

    public NullPointerException() {}

    public NullPointerException(String m) {
        super(m);
    }

    public NullPointerException(String m, Throwable c) {
        super(m, c);
    }

    public NullPointerException(Throwable c) {
        super(c);
    }
}
