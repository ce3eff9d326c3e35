package java.lang;

public class ArrayIndexOutOfBoundsException extends IndexOutOfBoundsException {

    public ArrayIndexOutOfBoundsException() {}

    public ArrayIndexOutOfBoundsException(String m) {
        super(m);
    }

    public ArrayIndexOutOfBoundsException(String m, Throwable c) {
        super(m, c);
    }

    public ArrayIndexOutOfBoundsException(Throwable c) {
        super(c);
    }
}
