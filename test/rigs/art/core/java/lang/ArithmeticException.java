package java.lang;

public class ArithmeticException extends RuntimeException {

    public ArithmeticException() {}

    public ArithmeticException(String m) {
        super(m);
    }

    public ArithmeticException(String m, Throwable c) {
        super(m, c);
    }

    public ArithmeticException(Throwable c) {
        super(c);
    }
}
