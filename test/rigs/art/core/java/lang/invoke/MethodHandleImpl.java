package java.lang.invoke;

import java.lang.reflect.Member;

public class MethodHandleImpl extends MethodHandle implements Cloneable {

    private Object info;

    public native Member getMemberInternal();
}
