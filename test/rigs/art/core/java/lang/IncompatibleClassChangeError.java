package java.lang;

public class IncompatibleClassChangeError extends LinkageError {

    public IncompatibleClassChangeError() {}

    public IncompatibleClassChangeError(String m) {
        super(m);
    }

    public IncompatibleClassChangeError(String m, Throwable c) {
        super(m, c);
    }

    public IncompatibleClassChangeError(Throwable c) {
        super(c);
    }
}
