package java.lang;

public class ArrayStoreException extends RuntimeException {

    public ArrayStoreException() {}

    public ArrayStoreException(String m) {
        super(m);
    }

    public ArrayStoreException(String m, Throwable c) {
        super(m, c);
    }

    public ArrayStoreException(Throwable c) {
        super(c);
    }
}
