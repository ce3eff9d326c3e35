package java.lang;

public class ClassCircularityError extends LinkageError {

    public ClassCircularityError() {}

    public ClassCircularityError(String m) {
        super(m);
    }

    public ClassCircularityError(String m, Throwable c) {
        super(m, c);
    }

    public ClassCircularityError(Throwable c) {
        super(c);
    }
}
