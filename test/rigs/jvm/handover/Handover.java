import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * A lock is handed on: "first" has it, "second" and then "last" wait for it, for a millisecond and more. In every second
 * round they give it up by Object.wait. Whoever has it writes down its name and the method in which it lets go; so the
 * last one knows who really released it. It runs while standard input is open, then prints a line for each wait of the
 * last one: "wait BEGIN END RELEASED_BY METHOD", in System.nanoTime().
 */
public final class Handover {
    private static final Object LOCK = new Object();
    private static final long HELD_MS = 2, WAIT_MS = 20;
    private static volatile boolean waits;
    private static volatile String holder = "";
    private static volatile boolean open = true;
    private static final Semaphore secondMayAsk = new Semaphore(0), lastMayAsk = new Semaphore(0);
    private static final Semaphore roundEnds = new Semaphore(0);
    private static final List<String> told = Collections.synchronizedList(new ArrayList<>());
    private static Thread second, last;

    /** The name of the method and its synchronized block are what the tests look for. */
    private static void hold(Semaphore inside, Thread... waiters) {
        synchronized (LOCK) { // begins
            if (inside != null) inside.release();
            awaitBlocked(waiters);
            pause(HELD_MS);
            if (waits) giveUp();
            letGo("hold");
        } // ends
    }

    private static void giveUp() {
        letGo("giveUp");
        try {
            LOCK.wait(WAIT_MS);
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    private static void letGo(String method) {
        holder = Thread.currentThread().getName() + " " + method;
    }

    /** Not for ever: a thread may have been blocked elsewhere, by a class that is loaded, and have got the lock since. */
    private static void awaitBlocked(Thread... threads) {
        for (Thread thread : threads)
            for (int tries = 0; tries < 20 && thread.getState() != Thread.State.BLOCKED; tries++) pause(1);
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    private static Thread start(String name, Runnable round) {
        Thread thread = new Thread(() -> {
            while (open) round.run();
        }, name);
        thread.setDaemon(true);
        return thread;
    }

    public static void main(String[] args) throws Exception {
        Thread first = start("first", () -> {
            hold(secondMayAsk, second, last);
            roundEnds.acquireUninterruptibly(2);
        });
        second = start("second", () -> {
            secondMayAsk.acquireUninterruptibly();
            lastMayAsk.release();
            hold(null);
            roundEnds.release();
        });
        last = start("last", () -> {
            lastMayAsk.acquireUninterruptibly();
            awaitBlocked(second);
            long begin = System.nanoTime();
            synchronized (LOCK) {
                told.add("wait " + begin + " " + System.nanoTime() + " " + holder);
                waits = !waits;
                LOCK.notifyAll();
            }
            System.out.println("round " + told.size() + ".");
            roundEnds.release();
        });
        second.start();
        last.start();
        first.start();
        System.out.println("ready");
        while (System.in.read() >= 0) continue;
        open = false;
        for (String wait : new ArrayList<>(told)) System.out.println(wait);
        System.out.println("done");
        System.exit(0);
    }
}
