package java.lang;

public class NoSuchFieldError extends IncompatibleClassChangeError {

    public NoSuchFieldError() {}

    public NoSuchFieldError(String m) {
        super(m);
    }

    public NoSuchFieldError(String m, Throwable c) {
        super(m, c);
    }

    public NoSuchFieldError(Throwable c) {
        super(c);
    }
}
