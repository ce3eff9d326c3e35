package java.lang;

public class IndexOutOfBoundsException extends RuntimeException {

    public IndexOutOfBoundsException() {}

    public IndexOutOfBoundsException(String m) {
        super(m);
    }

    public IndexOutOfBoundsException(String m, Throwable c) {
        super(m, c);
    }

    public IndexOutOfBoundsException(Throwable c) {
        super(c);
    }
}
