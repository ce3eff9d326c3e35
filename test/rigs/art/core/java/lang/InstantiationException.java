package java.lang;

public class InstantiationException extends ReflectiveOperationException {

    public InstantiationException() {}

    public InstantiationException(String m) {
        super(m);
    }

    public InstantiationException(String m, Throwable c) {
        super(m, c);
    }

    public InstantiationException(Throwable c) {
        super(c);
    }
}
