package java.lang;

public class IllegalMonitorStateException extends RuntimeException {

    public IllegalMonitorStateException() {}

    public IllegalMonitorStateException(String m) {
        super(m);
    }

    public IllegalMonitorStateException(String m, Throwable c) {
        super(m, c);
    }

    public IllegalMonitorStateException(Throwable c) {
        super(c);
    }
}
