package java.lang.ref;

import dalvik.annotation.optimization.FastNative;

public abstract class Reference<T> {

    private static boolean disableIntrinsic = false;
    private static boolean slowPathEnabled = false;
    Reference pendingNext;
    final ReferenceQueue<? super T> queue;
    Reference queueNext;
    volatile T referent;

    Reference(T r, ReferenceQueue<? super T> q) {
        referent = r;
        queue = q;
    }

    Reference(T r) {
        this(r, null);
    }

    public final boolean refersTo(T o) {
        return refersTo0(o);
    }

    @FastNative
    private final native boolean refersTo0(Object o);
    public T get() {
        return getReferent();
    }

    public void clear() {
        clearReferent();
    }

    public boolean isEnqueued() {
        return queueNext != null;
    }

    public boolean enqueue() {
        return queue != null && queue.enqueue(this);
    }

    @FastNative
    private final native T getReferent();

    @FastNative
    private final native void clearReferent();

    public static void reachabilityFence(Object o) {}
}
