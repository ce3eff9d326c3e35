package java.lang;

public class InstantiationError extends IncompatibleClassChangeError {

    public InstantiationError() {}

    public InstantiationError(String m) {
        super(m);
    }

    public InstantiationError(String m, Throwable c) {
        super(m, c);
    }

    public InstantiationError(Throwable c) {
        super(c);
    }
}
