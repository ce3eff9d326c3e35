package java.lang;

public class ClassCastException extends RuntimeException {

    public ClassCastException() {}

    public ClassCastException(String m) {
        super(m);
    }

    public ClassCastException(String m, Throwable c) {
        super(m, c);
    }

    public ClassCastException(Throwable c) {
        super(c);
    }
}
