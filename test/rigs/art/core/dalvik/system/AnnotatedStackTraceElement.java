package dalvik.system;

public class AnnotatedStackTraceElement {

    private StackTraceElement stackTraceElement;
    private Object[] heldLocks;
    private Object blockedOn;
}
