package java.lang;

public class InterruptedException extends Exception {

    public InterruptedException() {}

    public InterruptedException(String m) {
        super(m);
    }

    public InterruptedException(String m, Throwable c) {
        super(m, c);
    }

    public InterruptedException(Throwable c) {
        super(c);
    }
}
