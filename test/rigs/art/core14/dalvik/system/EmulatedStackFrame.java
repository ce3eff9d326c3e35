package dalvik.system;

public class EmulatedStackFrame {
    private Object[] references;
    private byte[] stackFrame;
    private java.lang.invoke.MethodType type;
}
