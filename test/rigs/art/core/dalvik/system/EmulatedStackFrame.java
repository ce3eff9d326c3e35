package dalvik.system;

import java.lang.invoke.MethodType;

public class EmulatedStackFrame {

    private MethodType callsiteType;
    private Object[] references;
    private byte[] stackFrame;
    private MethodType type;
}
