package java.lang;

import dalvik.annotation.optimization.FastNative;

public class Object {

    private transient Class<?> shadow$_klass_;
    private transient int shadow$_monitor_;

    public Object() {}

    public boolean equals(Object o) {
        return this == o;
    }

    protected void finalize() throws Throwable {}

    public final Class<?> getClass() {
        return shadow$_klass_;
    }

    public int hashCode() {
        return identityHashCodeNative(this);
    }

    static int identityHashCode(Object o) {
        return o == null ? 0 : identityHashCodeNative(o);
    }

    @FastNative
    private static native int identityHashCodeNative(Object o);

    @FastNative
    public final native void notify();

    @FastNative
    public final native void notifyAll();

    public String toString() {
        return getClass().getName() + "@" + Integer.toHexString(hashCode());
    }

    public final void wait() throws InterruptedException {
        wait(0L, 0);
    }

    public final void wait(long ms) throws InterruptedException {
        wait(ms, 0);
    }

    @FastNative
    public final native void wait(long ms, int ns) throws InterruptedException;

    protected Object clone() throws CloneNotSupportedException {
        if (!(this instanceof Cloneable)) throw new CloneNotSupportedException("not Cloneable");
        return internalClone();
    }

    @FastNative
    private native Object internalClone();
}
