package java.lang;

public class OutOfMemoryError extends VirtualMachineError {

    public OutOfMemoryError() {}

    public OutOfMemoryError(String m) {
        super(m);
    }

    public OutOfMemoryError(String m, Throwable c) {
        super(m, c);
    }

    public OutOfMemoryError(Throwable c) {
        super(c);
    }
}
