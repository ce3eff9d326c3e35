package java.lang;

public class ClassFormatError extends LinkageError {

    public ClassFormatError() {}

    public ClassFormatError(String m) {
        super(m);
    }

    public ClassFormatError(String m, Throwable c) {
        super(m, c);
    }

    public ClassFormatError(Throwable c) {
        super(c);
    }
}
