package java.lang;

public class VerifyError extends LinkageError {

    public VerifyError() {}

    public VerifyError(String m) {
        super(m);
    }

    public VerifyError(String m, Throwable c) {
        super(m, c);
    }

    public VerifyError(Throwable c) {
        super(c);
    }
}
