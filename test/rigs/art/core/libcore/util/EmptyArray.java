package libcore.util;

public final class EmptyArray {

    public static final StackTraceElement[] STACK_TRACE_ELEMENT = new StackTraceElement[0];
}
