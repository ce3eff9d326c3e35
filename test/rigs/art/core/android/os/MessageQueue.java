package android.os;

/** Messages in the order of their time. As on a phone, next() waits in the native nativePollOnce and returns one message each time. */
public final class MessageQueue {

    private long ptr;
    private Message messages;
    private boolean blocked;
    private boolean quitting;

    private static native long nativeInit();

    private static native void nativeDestroy(long ptr);

    private native void nativePollOnce(long ptr, int timeoutMillis);

    private static native void nativeWake(long ptr);

    MessageQueue() {
        ptr = nativeInit();
    }

    /** The next message when its time has come, or null when the queue was told to quit. */
    Message next() {
        int timeoutMillis = 0;
        for (;;) {
            nativePollOnce(ptr, timeoutMillis);
            synchronized (this) {
                if (quitting) {
                    nativeDestroy(ptr);
                    ptr = 0;
                    return null;
                }
                Message message = messages;
                long left = message == null ? -1 : Math.max(0, message.when - SystemClock.uptimeMillis());
                if (left == 0) {
                    blocked = false;
                    messages = message.next;
                    message.next = null;
                    return message;
                }
                timeoutMillis = (int) Math.min(left, 0x7fffffff);
                blocked = true;
            }
        }
    }

    boolean enqueueMessage(Message message, long when) {
        synchronized (this) {
            if (quitting) return false;
            message.when = when;
            Message before = null;
            Message after = messages;
            for (; after != null && after.when <= when; after = after.next) before = after;
            message.next = after;
            if (before == null) messages = message;
            else before.next = message;
            if (before == null && blocked) nativeWake(ptr);
        }
        return true;
    }

    void quit() {
        synchronized (this) {
            if (quitting) return;
            quitting = true;
            nativeWake(ptr);
        }
    }
}
