package java.lang.ref;

public class ReferenceQueue<T> {

    private Reference<? extends T> head;
    public static Reference<?> unenqueued;

    static void add(Reference<?> list) {
        synchronized (ReferenceQueue.class) {
            unenqueued = list;
            ReferenceQueue.class.notifyAll();
        }
    }

    @SuppressWarnings("unchecked")
    synchronized boolean enqueue(Reference<?> r) {
        if (r.queueNext != null) return false;
        r.queueNext = head == null ? r : head;
        head = (Reference<? extends T>) r;
        notifyAll();
        return true;
    }
}
