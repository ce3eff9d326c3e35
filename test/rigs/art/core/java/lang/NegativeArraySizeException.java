package java.lang;

public class NegativeArraySizeException extends RuntimeException {

    public NegativeArraySizeException() {}

    public NegativeArraySizeException(String m) {
        super(m);
    }

    public NegativeArraySizeException(String m, Throwable c) {
        super(m, c);
    }

    public NegativeArraySizeException(Throwable c) {
        super(c);
    }
}
