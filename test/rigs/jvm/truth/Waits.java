import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
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

    /** Sleeps, asks somebody and waits for the answer, which is input and no point, and sleeps again: it is seen at its sleeps alone. */
    static void ask() {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket asker = new Socket(server.getInetAddress(), server.getLocalPort());
            Socket answerer = server.accept();
            Truth.start("asker", log -> {
                asker.getOutputStream().write(1);
                asker.getInputStream().read();
                long begin = System.nanoTime();
                Truth.pause(10);
                log.waited("SLEEP", begin, System.nanoTime(), "-", 0);
            });
            Truth.start("answerer", log -> {
                int asked = answerer.getInputStream().read();
                Truth.pause(30);
                answerer.getOutputStream().write(asked);
            });
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
