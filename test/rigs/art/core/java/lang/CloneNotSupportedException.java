package java.lang;

public class CloneNotSupportedException extends Exception {

    public CloneNotSupportedException() {}

    public CloneNotSupportedException(String m) {
        super(m);
    }

    public CloneNotSupportedException(String m, Throwable c) {
        super(m, c);
    }

    public CloneNotSupportedException(Throwable c) {
        super(c);
    }
}
