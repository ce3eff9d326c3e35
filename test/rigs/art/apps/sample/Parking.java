package sample;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Main parks for a ReentrantLock that the thread "locker" holds for 20 ms, then for a condition that it signals 10 ms later. */
public final class Parking extends Sample {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ready = lock.newCondition();
    private boolean isReady;
    static int lockerTid;

    private final class Locker implements Runnable {

        private final CountDownLatch locked;

        Locker(CountDownLatch locked) {
            this.locked = locked;
        }

        public void run() {
            lockerTid = Thread.currentThread().getNativeTid();
            lock.lock();
            locked.countDown();
            Cpu.burn(20000);
            lock.unlock();
            Cpu.burn(10000);
            lock.lock();
            isReady = true;
            ready.signal();
            lock.unlock();
        }
    }

    void round(int round) throws Exception {
        isReady = false;
        CountDownLatch locked = new CountDownLatch(1);
        Thread locker = new Thread(new Locker(locked), "locker");
        locker.start();
        locked.await();
        long began = System.nanoTime();
        lock.lock();
        long entered = System.nanoTime();
        while (!isReady) ready.await();
        long ended = System.nanoTime();
        lock.unlock();
        locker.join();
        new Truth("park")
            .with("waker", lockerTid)
            .with("begin", began)
            .with("entered", entered)
            .with("end", ended)
            .tell();
    }
}
