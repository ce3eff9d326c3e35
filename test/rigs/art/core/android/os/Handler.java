package android.os;

public class Handler {

    final Looper looper;
    private final MessageQueue queue;

    public Handler(Looper looper) {
        this.looper = looper;
        queue = looper.queue;
    }

    public void handleMessage(Message message) {}

    public void dispatchMessage(Message message) {
        if (message.callback != null) handleCallback(message);
        else handleMessage(message);
    }

    private static void handleCallback(Message message) {
        message.callback.run();
    }

    public final boolean post(Runnable callback) {
        return postDelayed(callback, 0);
    }

    public final boolean postDelayed(Runnable callback, long delayMillis) {
        Message message = Message.obtain(this, 0, null);
        message.callback = callback;
        return enqueue(message, delayMillis);
    }

    public final boolean sendEmptyMessage(int what) {
        return sendMessage(Message.obtain(this, what, null));
    }

    public final boolean sendMessage(Message message) {
        message.target = this;
        return enqueue(message, 0);
    }

    private boolean enqueue(Message message, long delayMillis) {
        return queue.enqueueMessage(message, SystemClock.uptimeMillis() + delayMillis);
    }
}
