package java.lang.invoke;

public abstract class MethodHandle {
    private MethodHandle asTypeCache;
    private MethodHandle cachedSpreadInvoker;
    private MethodType type;
    protected final long artFieldOrMethod = 0;
    protected final int handleKind = 0;
    public MethodHandle asType(MethodType t) {
        throw new UnsupportedOperationException("asType");
    }

    public native void invokeExactWithFrame(dalvik.system.EmulatedStackFrame a0);
    public final native Object invokeExact(Object... a0);
    public final native Object invoke(Object... a0);
}
