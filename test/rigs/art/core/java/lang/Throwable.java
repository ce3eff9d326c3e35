package java.lang;

import dalvik.annotation.optimization.FastNative;
import java.io.Serializable;
import java.util.List;
import libcore.util.EmptyArray;

public class Throwable implements Serializable {

    private transient volatile Object backtrace;
    private Throwable cause = this;
    private String detailMessage;
    private StackTraceElement[] stackTrace = EmptyArray.STACK_TRACE_ELEMENT;
    private List<Throwable> suppressedExceptions;

    public Throwable() {
        fillInStackTrace();
    }

    public Throwable(String m) {
        fillInStackTrace();
        detailMessage = m;
    }

    public Throwable(String m, Throwable c) {
        fillInStackTrace();
        detailMessage = m;
        cause = c;
    }

    public Throwable(Throwable c) {
        fillInStackTrace();
        cause = c;
        detailMessage = c == null ? null : c.toString();
    }

    public Throwable fillInStackTrace() {
        backtrace = nativeFillInStackTrace();
        return this;
    }

    public String getMessage() {
        return detailMessage;
    }

    public Throwable getCause() {
        return cause == this ? null : cause;
    }

    public Throwable initCause(Throwable c) {
        cause = c;
        return this;
    }

    public final void addSuppressed(Throwable t) {}

    public StackTraceElement[] getStackTrace() {
        return backtrace == null ? stackTrace : nativeGetStackTrace(backtrace);
    }

    public String toString() {
        return detailMessage == null ? getClass().getName() : getClass().getName() + ": " + detailMessage;
    }

    public void printStackTrace() {
        for (Throwable t = this; t != null; t = t.getCause()) {
            System.out.println(t == this ? t.toString() : "Caused by: " + t);
            StackTraceElement[] e = t.getStackTrace();
            for (int i = 0; i < e.length; i++) System.out.println("    at " + e[i]);
        }
    }

    @FastNative
    private static native Object nativeFillInStackTrace();

    @FastNative
    private static native StackTraceElement[] nativeGetStackTrace(Object state);
}
