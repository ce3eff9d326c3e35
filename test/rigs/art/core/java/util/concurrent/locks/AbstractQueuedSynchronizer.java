package java.util.concurrent.locks;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that wait their turn, parked, first come first served. Far simpler than the JDK's class of this name, whose place in
 * stacks and as the park blocker it takes: the queue is guarded by a spin lock that is held for a few instructions.
 */
public abstract class AbstractQueuedSynchronizer {

    private final AtomicInteger guard = new AtomicInteger();
    private final ArrayDeque<Thread> waiting = new ArrayDeque<Thread>();

    /** Takes what is asked for, or says that the thread must wait. */
    protected abstract boolean tryAcquire(Thread thread);

    public final void acquire() {
        Thread thread = Thread.currentThread();
        if (tryAcquire(thread)) return;
        lockQueue();
        waiting.addLast(thread);
        guard.set(0);
        // A wake-up that comes between the try and the park is kept by unpark's permit.
        for (;;) {
            lockQueue();
            boolean acquired = waiting.peek() == thread && tryAcquire(thread);
            if (acquired) waiting.poll();
            guard.set(0);
            if (acquired) return;
            LockSupport.park(this);
        }
    }

    /** Wakes the first that waits; called after what it waits for was given back. */
    public final void wakeFirst() {
        lockQueue();
        Thread first = waiting.peek();
        guard.set(0);
        LockSupport.unpark(first);
    }

    private void lockQueue() {
        while (!guard.compareAndSet(0, 1)) Thread.yield();
    }
}
