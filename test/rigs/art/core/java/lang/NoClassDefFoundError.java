package java.lang;

public class NoClassDefFoundError extends LinkageError {

    public NoClassDefFoundError() {}

    public NoClassDefFoundError(String m) {
        super(m);
    }

    public NoClassDefFoundError(String m, Throwable c) {
        super(m, c);
    }

    public NoClassDefFoundError(Throwable c) {
        super(c);
    }
}
