package java.util.concurrent;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;

public class CountDownLatch {

    private static final class Sync extends AbstractQueuedSynchronizer {

        private final AtomicInteger left;

        Sync(int count) {
            left = new AtomicInteger(count);
        }

        protected boolean tryAcquire(Thread thread) {
            return left.get() == 0;
        }
    }

    private final Sync sync;

    public CountDownLatch(int count) {
        sync = new Sync(count);
    }

    public long getCount() {
        return sync.left.get();
    }

    public void countDown() {
        for (;;) {
            int left = sync.left.get();
            if (left == 0) return;
            if (!sync.left.compareAndSet(left, left - 1)) continue;
            if (left == 1) sync.wakeFirst();
            return;
        }
    }

    /** Each that is let through wakes the next. */
    public void await() {
        sync.acquire();
        sync.wakeFirst();
    }
}
