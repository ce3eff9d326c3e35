import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that wait for each other for good, of monitors and of java.util.concurrent's locks; one that waits behind them, one
 * that waits for somebody who only sleeps, and some at rest. With the argument "before" they do so when the program says "ready", else after a
 * line on standard input, to which it says "tangled". Ends with standard input.
 */
public final class Deadlock {
    static final class Account {}

    static final class Till {}

    static final List<Thread> STUCK = new ArrayList<>();

    static void start(String name, boolean getsStuck, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        if (getsStuck) STUCK.add(thread);
        thread.start();
    }

    static void met(CountDownLatch latch) {
        latch.countDown();
        try {
            latch.await();
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    static void transfer(Account from, Account to, CountDownLatch both) {
        synchronized (from) {
            met(both);
            synchronized (to) {
                throw new IllegalStateException("there is no deadlock");
            }
        }
    }

    static void exchange(ReentrantLock mine, ReentrantLock other, CountDownLatch both) {
        mine.lock();
        met(both);
        other.lock();
    }

    static void count(Till till) {
        synchronized (till) {
            till.notifyAll();
        }
    }

    static void keep(Till till, CountDownLatch kept) {
        synchronized (till) {
            kept.countDown();
            rest();
        }
    }

    static void rest() {
        try {
            Thread.sleep(3_600_000);
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    static void audit(Account account) {
        synchronized (account) {
            throw new IllegalStateException("there is no deadlock");
        }
    }

    static void tangle() throws InterruptedException {
        Account one = new Account();
        Account other = new Account();
        CountDownLatch accounts = new CountDownLatch(2);
        start("monitor-1", true, () -> transfer(one, other, accounts));
        start("monitor-2", true, () -> transfer(other, one, accounts));
        ReentrantLock left = new ReentrantLock();
        ReentrantLock right = new ReentrantLock();
        CountDownLatch locks = new CountDownLatch(2);
        start("lock-1", true, () -> exchange(left, right, locks));
        start("lock-2", true, () -> exchange(right, left, locks));
        accounts.await();
        start("behind", true, () -> audit(one));
        Till till = new Till();
        CountDownLatch kept = new CountDownLatch(1);
        start("keeper", false, () -> keep(till, kept));
        kept.await();
        start("counter", true, () -> count(till));
        for (Thread thread : STUCK) while (!isStuck(thread, left, right)) Thread.sleep(1);
        STUCK.clear();
    }

    /** And not still at its latch. */
    static boolean isStuck(Thread thread, ReentrantLock left, ReentrantLock right) {
        boolean isQueued = left.hasQueuedThread(thread) || right.hasQueuedThread(thread);
        return thread.getState() == (isQueued ? Thread.State.WAITING : Thread.State.BLOCKED);
    }

    public static void main(String[] args) throws Exception {
        start("idle", false, LockSupport::park);
        start("sleeper", false, Deadlock::rest);
        boolean before = List.of(args).contains("before");
        if (before) tangle();
        System.out.println("ready");
        InputStream in = System.in;
        for (int read = in.read(); read >= 0; read = in.read()) {
            tangle();
            System.out.println("tangled");
        }
    }
}
