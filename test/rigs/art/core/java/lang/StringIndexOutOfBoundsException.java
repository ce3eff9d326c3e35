package java.lang;

public class StringIndexOutOfBoundsException extends IndexOutOfBoundsException {

    public StringIndexOutOfBoundsException() {}

    public StringIndexOutOfBoundsException(String m) {
        super(m);
    }

    public StringIndexOutOfBoundsException(String m, Throwable c) {
        super(m, c);
    }

    public StringIndexOutOfBoundsException(Throwable c) {
        super(c);
    }
}
