package java.lang;

public class IllegalAccessError extends IncompatibleClassChangeError {

    public IllegalAccessError() {}

    public IllegalAccessError(String m) {
        super(m);
    }

    public IllegalAccessError(String m, Throwable c) {
        super(m, c);
    }

    public IllegalAccessError(Throwable c) {
        super(c);
    }
}
