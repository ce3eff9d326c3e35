import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.Selector;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/** The parts that wait, in a way each, and write down when and who ended it. */
final class Waits {
    private Waits() {}

    /** The holder has the lock for 25 ms of every round; the contender asks for it 5 ms after, or too late on a busy machine. */
    static void lock() {
        Object lock = new Object();
        Semaphore held = new Semaphore(0);
        Semaphore done = new Semaphore(0);
        Thread[] contender = new Thread[1];
        long[] released = new long[1];
        boolean[] awaited = new boolean[1];
        Truth.start("holder", log -> {
            synchronized (lock) {
                held.release();
                Truth.pause(25);
                awaited[0] = contender[0] != null && contender[0].getState() == Thread.State.BLOCKED;
                released[0] = System.nanoTime();
            }
            done.acquireUninterruptibly();
        });
        Truth.start("contender", log -> {
            contender[0] = Thread.currentThread();
            held.acquireUninterruptibly();
            Truth.pause(5);
            long begin = System.nanoTime();
            synchronized (lock) {
                if (awaited[0]) log.waited("MONITOR", begin, System.nanoTime(), "holder", released[0]);
            }
            done.release();
        });
    }

    static void notifying() {
        Object bell = new Object();
        long[] rung = new long[2];
        Truth.start("waiter", log -> {
            synchronized (bell) {
                rung[0]++;
                long begin = System.nanoTime();
                long round = rung[0];
                while (rung[1] < round) bell.wait();
                log.waited("WAIT", begin, System.nanoTime(), "ringer", lastRing);
            }
        });
        Truth.start("ringer", log -> {
            Truth.pause(20);
            synchronized (bell) {
                if (rung[1] < rung[0]) {
                    rung[1] = rung[0];
                    lastRing = System.nanoTime();
                    bell.notify();
                }
            }
        });
    }

    private static volatile long lastRing;
    private static volatile Thread sitting;
    private static volatile long lastUnpark;
    private static volatile boolean sat;

    /** On a busy machine the sitter may be roused before it sits: that is no wait. */
    static void park() {
        Object bench = new Object();
        Truth.start("sitter", log -> {
            long begin = System.nanoTime();
            sitting = Thread.currentThread();
            while (sitting != null) LockSupport.park(bench);
            if (sat) log.waited("PARK", begin, System.nanoTime(), "rouser", lastUnpark);
        });
        Truth.start("rouser", log -> {
            Truth.pause(20);
            Thread sitter = sitting;
            if (sitter != null) {
                sat = sitter.getState() == Thread.State.WAITING;
                sitting = null;
                lastUnpark = System.nanoTime();
                LockSupport.unpark(sitter);
            }
        });
    }

    static void sleep() {
        Truth.start("sleeper", log -> {
            long begin = System.nanoTime();
            Truth.pause(25);
            log.waited("SLEEP", begin, System.nanoTime(), "-", 0);
        });
    }

    /** Sleeps, asks another program and waits for the answer, which is no point, and sleeps again: it is seen at its sleeps alone. */
    static void ask() {
        try {
            Process echo = new ProcessBuilder("cat").start();
            Truth.start("asker", log -> {
                echo.getInputStream().read();
                long begin = System.nanoTime();
                Truth.pause(10);
                log.waited("SLEEP", begin, System.nanoTime(), "-", 0);
            });
            Truth.start("answerer", log -> {
                Truth.pause(40);
                echo.getOutputStream().write(1);
                echo.getOutputStream().flush();
            });
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** In one of the system's calls for sockets, and not kept from it by a busy machine. */
    private static boolean isInCall(Thread thread) {
        StackTraceElement[] frames = thread.getStackTrace();
        return frames.length > 0 && frames[0].isNativeMethod() && frames[0].getClassName().startsWith("sun.nio.ch.");
    }

    private static volatile Thread asking;
    private static volatile boolean isAsked;

    /** The client waits for an answer that the server gives 60 ms later, or on a busy machine before the client waits. */
    static void socket() {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
            Socket served = server.accept();
            Truth.start("client", log -> {
                asking = Thread.currentThread();
                client.getOutputStream().write(1);
                long begin = System.nanoTime();
                client.getInputStream().read();
                if (isAsked) log.waited("IO", begin, System.nanoTime(), "-", 0);
            });
            Truth.start("server", log -> {
                int asked = served.getInputStream().read();
                Truth.pause(60);
                isAsked = isInCall(asking);
                served.getOutputStream().write(asked);
            });
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static volatile Thread listening;
    private static volatile long listens;
    private static volatile long seen;

    /**
     * A selector and somebody who listens: neither has anything to do. Who listens looks at its clock once more before
     * it waits, and on a busy machine its time may be over by then: that it waits is seen by another thread.
     */
    static void select() {
        try {
            Selector selector = Selector.open();
            Truth.start("selector", log -> {
                long begin = System.nanoTime();
                selector.select(30);
                log.waited("POLL", begin, System.nanoTime(), "-", 0);
            });
            ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            server.setSoTimeout(40);
            Truth.start("listener", log -> {
                listening = Thread.currentThread();
                long time = ++listens;
                long begin = System.nanoTime();
                try {
                    server.accept();
                } catch (SocketTimeoutException nobody) {
                    if (seen == time) log.waited("POLL", begin, System.nanoTime(), "-", 0);
                }
            });
            Truth.start("looker", log -> {
                Truth.pause(5);
                long time = listens;
                if (listening != null && isInCall(listening)) seen = time;
            });
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
