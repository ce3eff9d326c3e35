import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * One thread waits at a bell and another one rings it, some 50 times a second, in each way there is to end a wait; a third joins one
 * thread after another. All ways were
 * called so often before that the JVM has compiled them for good. Says "ready" then, and "rung" at each thirtieth ring.
 */
public final class Bell {
    private static final int OFTEN = 50_000;
    private static final Object BELL = new Object();
    private static final int NOTIFY = 0, NOTIFY_ALL = 1, UNPARK = 2, WAYS = 3;
    private static volatile boolean waiting;

    private Bell() {}

    public static void main(String[] args) throws IOException {
        Object nobodys = new Object();
        Thread nobody = new Thread(() -> {});
        for (int i = 0; i < OFTEN; i++) ring(nobodys, nobody, i % WAYS);
        Thread listener = start("listener", Bell::listen);
        start("bellman", () -> ringOnAndOn(listener));
        start("joiner", Bell::join);
        System.out.println("ready");
        while (System.in.read() >= 0) continue;
    }

    interface Body {
        void run() throws InterruptedException;
    }

    private static Thread start(String name, Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (InterruptedException stopped) {
                throw new IllegalStateException(stopped);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void join() throws InterruptedException {
        for (;;) start("runner", () -> Thread.sleep(50)).join();
    }

    private static void listen() throws InterruptedException {
        for (int round = 0; ; round++) {
            synchronized (BELL) {
                waiting = true;
                while (waiting && round % WAYS != UNPARK) BELL.wait();
            }
            while (waiting) LockSupport.park(BELL);
        }
    }

    private static void ringOnAndOn(Thread listener) throws InterruptedException {
        for (int round = 0; ; round++) {
            while (!waiting) Thread.sleep(1);
            Thread.sleep(20);
            synchronized (BELL) {
                waiting = false;
                ring(BELL, listener, round % WAYS);
            }
            if (round % 30 == 0) System.out.println("rung");
        }
    }

    private static void ring(Object bell, Thread listener, int way) {
        synchronized (bell) {
            if (way == NOTIFY) bell.notify();
            else if (way == NOTIFY_ALL) bell.notifyAll();
            else LockSupport.unpark(listener);
        }
    }
}
