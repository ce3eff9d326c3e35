package java.lang;

public class StackOverflowError extends VirtualMachineError {

    public StackOverflowError() {}

    public StackOverflowError(String m) {
        super(m);
    }

    public StackOverflowError(String m, Throwable c) {
        super(m, c);
    }

    public StackOverflowError(Throwable c) {
        super(c);
    }
}
