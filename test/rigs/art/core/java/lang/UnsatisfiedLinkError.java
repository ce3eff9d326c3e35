package java.lang;

public class UnsatisfiedLinkError extends LinkageError {

    public UnsatisfiedLinkError() {}

    public UnsatisfiedLinkError(String m) {
        super(m);
    }

    public UnsatisfiedLinkError(String m, Throwable c) {
        super(m, c);
    }

    public UnsatisfiedLinkError(Throwable c) {
        super(c);
    }
}
