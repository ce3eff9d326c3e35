package android.os;

public final class Looper {

    private static Looper mainLooper;

    final MessageQueue queue = new MessageQueue();

    public static void prepareMainLooper() {
        synchronized (Looper.class) {
            if (mainLooper != null) throw new IllegalStateException("The main Looper has already been prepared.");
            mainLooper = new Looper();
        }
    }

    public static Looper getMainLooper() {
        synchronized (Looper.class) {
            return mainLooper;
        }
    }

    /** Handles the main thread's messages until somebody quits. Other threads have no looper here. */
    public static void loop() {
        Looper me = getMainLooper();
        while (loopOnce(me)) {}
    }

    private static boolean loopOnce(Looper me) {
        Message message = me.queue.next();
        if (message == null) return false;
        message.target.dispatchMessage(message);
        return true;
    }

    public void quit() {
        queue.quit();
    }
}
