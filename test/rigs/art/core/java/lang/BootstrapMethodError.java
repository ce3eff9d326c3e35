package java.lang;

public class BootstrapMethodError extends LinkageError {

    public BootstrapMethodError() {}

    public BootstrapMethodError(String m) {
        super(m);
    }

    public BootstrapMethodError(String m, Throwable c) {
        super(m, c);
    }

    public BootstrapMethodError(Throwable c) {
        super(c);
    }
}
