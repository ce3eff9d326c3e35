package java.lang.invoke;

public class WrongMethodTypeException extends RuntimeException {

    public WrongMethodTypeException() {}

    public WrongMethodTypeException(String m) {
        super(m);
    }

    public WrongMethodTypeException(String m, Throwable c) {
        super(m, c);
    }

    public WrongMethodTypeException(Throwable c) {
        super(c);
    }
}
