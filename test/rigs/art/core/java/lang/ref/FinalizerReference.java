package java.lang.ref;

import dalvik.annotation.optimization.FastNative;

public final class FinalizerReference<T> extends Reference<T> {

    public static final ReferenceQueue<Object> queue = new ReferenceQueue<Object>();
    private static FinalizerReference<?> head;
    private FinalizerReference<?> next;
    private FinalizerReference<?> prev;
    private T zombie;

    public FinalizerReference(T r, ReferenceQueue<? super T> q) {
        super(r, q);
    }

    public static void add(Object o) {
        FinalizerReference<Object> r = new FinalizerReference<Object>(o, queue);
        synchronized (FinalizerReference.class) {
            r.next = head;
            if (head != null) head.prev = r;
            head = r;
        }
    }

    @FastNative
    private final native T getReferent();

    @FastNative
    public native boolean makeCircularListIfUnenqueued();
}
