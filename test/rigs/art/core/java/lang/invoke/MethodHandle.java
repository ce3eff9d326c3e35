package java.lang.invoke;

public abstract class MethodHandle {

    private MethodHandle cachedSpreadInvoker;
    private MethodType nominalType;
    private MethodType type;
    protected final long artFieldOrMethod = 0;
    protected final int handleKind = 0;

    public final native Object invokeExact(Object... a0);

    public final native Object invoke(Object... a0);
}
