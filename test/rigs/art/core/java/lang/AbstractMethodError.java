package java.lang;

public class AbstractMethodError extends IncompatibleClassChangeError {

    public AbstractMethodError() {}

    public AbstractMethodError(String m) {
        super(m);
    }

    public AbstractMethodError(String m, Throwable c) {
        super(m, c);
    }

    public AbstractMethodError(Throwable c) {
        super(c);
    }
}
