package java.util.concurrent.locks;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;

public class ReentrantLock implements Lock {

    private static final class Sync extends AbstractQueuedSynchronizer {

        private final AtomicInteger held = new AtomicInteger();
        private volatile Thread owner;
        private int depth;

        protected boolean tryAcquire(Thread thread) {
            if (owner == thread) {
                depth++;
                return true;
            }
            if (!held.compareAndSet(0, 1)) return false;
            owner = thread;
            depth = 1;
            return true;
        }

        void release() {
            checkOwner();
            if (--depth > 0) return;
            owner = null;
            held.set(0);
            wakeFirst();
        }

        void checkOwner() {
            if (owner != Thread.currentThread()) throw new IllegalMonitorStateException("not the owner");
        }
    }

    private final Sync sync = new Sync();

    public void lock() {
        sync.acquire();
    }

    public boolean tryLock() {
        return sync.tryAcquire(Thread.currentThread());
    }

    public void unlock() {
        sync.release();
    }

    public boolean isLocked() {
        return sync.owner != null;
    }

    public Condition newCondition() {
        return new ConditionObject();
    }

    private static final class Waiter {

        final Thread thread = Thread.currentThread();
        volatile boolean signalled;
    }

    private final class ConditionObject implements Condition {

        private final ArrayDeque<Waiter> waiters = new ArrayDeque<Waiter>(); // guarded by the lock

        public void await() throws InterruptedException {
            waitUntil(Long.MAX_VALUE);
        }

        public long awaitNanos(long nanos) throws InterruptedException {
            long until = System.nanoTime() + nanos;
            waitUntil(until);
            return until - System.nanoTime();
        }

        private void waitUntil(long until) throws InterruptedException {
            sync.checkOwner();
            Waiter waiter = new Waiter();
            waiters.addLast(waiter);
            int depth = sync.depth;
            sync.depth = 1;
            sync.release();
            while (!waiter.signalled && !waiter.thread.isInterrupted()) {
                if (until == Long.MAX_VALUE) {
                    LockSupport.park(this);
                } else {
                    long left = until - System.nanoTime();
                    if (left <= 0) break;
                    LockSupport.parkNanos(this, left);
                }
            }
            sync.acquire();
            sync.depth = depth;
            waiter.signalled = true; // who timed out must not take a later signal
            if (Thread.interrupted()) throw new InterruptedException();
        }

        public void signal() {
            sync.checkOwner();
            for (Waiter waiter = waiters.poll(); waiter != null; waiter = waiters.poll()) {
                if (waiter.signalled) continue;
                wake(waiter);
                return;
            }
        }

        public void signalAll() {
            sync.checkOwner();
            for (Waiter waiter = waiters.poll(); waiter != null; waiter = waiters.poll()) wake(waiter);
        }

        private void wake(Waiter waiter) {
            waiter.signalled = true;
            LockSupport.unpark(waiter.thread);
        }
    }
}
