package java.lang;

import dalvik.annotation.optimization.FastNative;

public class Thread implements Runnable {

    public interface UncaughtExceptionHandler {
        void uncaughtException(Thread t, Throwable e);
    }

    private ClassLoader contextClassLoader;
    private boolean daemon;
    private ThreadGroup group;
    private final Object lock = new Object();
    private volatile String name;
    private long nativePeer;
    volatile Object parkBlocker;
    private int priority = 5;
    private boolean systemDaemon;
    private boolean unparkedBeforeStart;
    private Runnable target;
    private long stackSize;
    private boolean started;
    private static int next;

    private static synchronized int nextNumber() {
        return next++;
    }

    Thread(ThreadGroup g, String n, int p, boolean d) {
        group = g;
        name = n;
        priority = p;
        daemon = d;
    }

    public Thread() {
        this(null, null, "Thread-" + nextNumber());
    }

    public Thread(Runnable r) {
        this(null, r, "Thread-" + nextNumber());
    }

    public Thread(String n) {
        this(null, null, n);
    }

    public Thread(Runnable r, String n) {
        this(null, r, n);
    }

    public Thread(ThreadGroup g, Runnable r, String n) {
        Thread p = currentThread();
        group = g != null ? g : p.group;
        target = r;
        name = n;
        daemon = p.daemon;
        contextClassLoader = p.contextClassLoader;
    }

    public void run() {
        if (target != null) target.run();
    }

    public synchronized void start() {
        if (started) throw new IllegalThreadStateException("started");
        started = true;
        group.add(this);
        nativeCreate(this, stackSize, daemon);
    }

    public final String getName() {
        return name;
    }

    public final void setDaemon(boolean d) {
        daemon = d;
    }

    public final boolean isDaemon() {
        return daemon;
    }

    public final boolean isAlive() {
        return nativePeer != 0;
    }

    public final ThreadGroup getThreadGroup() {
        return group;
    }

    public final void join() throws InterruptedException {
        synchronized (lock) {
            while (isAlive()) lock.wait();
        }
    }

    public void interrupt() {
        interrupt0();
    }

    public static void sleep(long ms) throws InterruptedException {
        if (ms <= 0) {
            yield();
            return;
        }
        Object l = currentThread().lock;
        synchronized (l) {
            sleep(l, ms, 0);
        }
    }

    public void dispatchUncaughtException(Throwable t) {
        System.out.println("uncaught in thread " + name);
        t.printStackTrace();
    }

    @FastNative
    public static native Thread currentThread();

    @FastNative
    public static native boolean interrupted();

    @FastNative
    public native boolean isInterrupted();

    @FastNative
    private native void interrupt0();

    private static native void nativeCreate(Thread t, long stack, boolean daemon);

    @FastNative
    private static native void sleep(Object l, long ms, int ns) throws InterruptedException;

    public static native void yield();

    @FastNative
    public native int getNativeTid();

    public native int nativeGetStatus(boolean a0);

    public static native boolean holdsLock(Object a0);

    public native void setNativeName(String a0);

    public native void setPriority0(int a0);
}
