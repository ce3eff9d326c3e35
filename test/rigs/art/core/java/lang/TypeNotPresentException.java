package java.lang;

public class TypeNotPresentException extends RuntimeException {

    public TypeNotPresentException() {}

    public TypeNotPresentException(String m) {
        super(m);
    }

    public TypeNotPresentException(String m, Throwable c) {
        super(m, c);
    }

    public TypeNotPresentException(Throwable c) {
        super(c);
    }
}
