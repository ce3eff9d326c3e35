package java.lang;

import dalvik.system.VMRuntime;

public final class Daemons {

    private static final class HeapTaskDaemon extends Thread {

        HeapTaskDaemon() {
            super(ThreadGroup.systemThreadGroup, null, "HeapTaskDaemon");
            setDaemon(true);
        }

        public void run() {
            ready();
            VMRuntime.getRuntime().runHeapTasks();
        }
    }

    private static Thread heap;
    private static boolean up;

    static synchronized void ready() {
        up = true;
        Daemons.class.notifyAll();
    }

    public static synchronized void start() {
        VMRuntime.getRuntime().startHeapTaskProcessor();
        heap = new HeapTaskDaemon();
        heap.start();
    }

    public static synchronized void waitForDaemonStart() throws InterruptedException {
        while (!up) Daemons.class.wait();
    }

    public static void stop() {
        Thread t;
        synchronized (Daemons.class) {
            t = heap;
            heap = null;
        }
        if (t == null) return;
        VMRuntime.getRuntime().stopHeapTaskProcessor();
        try {
            t.join();
        } catch (InterruptedException e) {}
    }
}
