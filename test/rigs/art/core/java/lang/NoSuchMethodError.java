package java.lang;

public class NoSuchMethodError extends IncompatibleClassChangeError {

    public NoSuchMethodError() {}

    public NoSuchMethodError(String m) {
        super(m);
    }

    public NoSuchMethodError(String m, Throwable c) {
        super(m, c);
    }

    public NoSuchMethodError(Throwable c) {
        super(c);
    }
}
