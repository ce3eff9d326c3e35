package java.lang.invoke;

public abstract class VarHandle {

    private int accessModesBitMask;
    private Class<?> coordinateType0;
    private Class<?> coordinateType1;
    private Class<?> varType;

    public final native Object compareAndExchange(Object... a0);

    public final native Object compareAndExchangeAcquire(Object... a0);

    public final native Object compareAndExchangeRelease(Object... a0);

    public final native boolean compareAndSet(Object... a0);

    public final native Object get(Object... a0);

    public final native Object getAcquire(Object... a0);

    public final native Object getAndAdd(Object... a0);

    public final native Object getAndAddAcquire(Object... a0);

    public final native Object getAndAddRelease(Object... a0);

    public final native Object getAndBitwiseAnd(Object... a0);

    public final native Object getAndBitwiseAndAcquire(Object... a0);

    public final native Object getAndBitwiseAndRelease(Object... a0);

    public final native Object getAndBitwiseOr(Object... a0);

    public final native Object getAndBitwiseOrAcquire(Object... a0);

    public final native Object getAndBitwiseOrRelease(Object... a0);

    public final native Object getAndBitwiseXor(Object... a0);

    public final native Object getAndBitwiseXorAcquire(Object... a0);

    public final native Object getAndBitwiseXorRelease(Object... a0);

    public final native Object getAndSet(Object... a0);

    public final native Object getAndSetAcquire(Object... a0);

    public final native Object getAndSetRelease(Object... a0);

    public final native Object getOpaque(Object... a0);

    public final native Object getVolatile(Object... a0);

    public final native void set(Object... a0);

    public final native void setOpaque(Object... a0);

    public final native void setRelease(Object... a0);

    public final native void setVolatile(Object... a0);

    public final native boolean weakCompareAndSet(Object... a0);

    public final native boolean weakCompareAndSetAcquire(Object... a0);

    public final native boolean weakCompareAndSetPlain(Object... a0);

    public final native boolean weakCompareAndSetRelease(Object... a0);

    public static native void fullFence();

    public static native void acquireFence();

    public static native void releaseFence();

    public static native void loadLoadFence();

    public static native void storeStoreFence();
}
