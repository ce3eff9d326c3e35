package java.lang;

public class IllegalThreadStateException extends IllegalArgumentException {

    public IllegalThreadStateException() {}

    public IllegalThreadStateException(String m) {
        super(m);
    }

    public IllegalThreadStateException(String m, Throwable c) {
        super(m, c);
    }

    public IllegalThreadStateException(Throwable c) {
        super(c);
    }
}
