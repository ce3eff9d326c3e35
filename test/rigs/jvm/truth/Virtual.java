import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The parts of virtual threads; without any on a JDK that has none. */
final class Virtual {
    private Virtual() {}

    /**
     * Virtual threads that work in the ratio 1 : 2 : 3 in one and the same stack, and wait for the same lock now and then. They
     * cannot read a clock of their own: how much each did is counted.
     */
    static void work() {
        if (!HAS_VIRTUAL) return;
        Object lock = new Object();
        Truth.start("starter", nothing -> {
            Thread[] virtual = new Thread[3];
            for (int i = 0; i < virtual.length; i++) {
                int ratio = i + 1;
                Truth.Log log = new Truth.Log("virtual-" + ratio);
                Truth.LOGS.add(log);
                virtual[i] = start(() -> {
                    while (Truth.open) Work.turn(log, ratio, lock);
                });
            }
            for (Thread one : virtual) one.join();
        });
    }

    private interface Waiting {
        void once() throws Exception;
    }

    /**
     * Virtual threads that wait in a way each, off their carriers, and write down when. What they wait for lasts 10 to 25 ms, or
     * longer on a busy machine.
     */
    static void waits() {
        if (!HAS_VIRTUAL) return;
        Object bell = new Object();
        Object lock = new Object();
        Semaphore held = new Semaphore(0);
        Truth.start("starter", nothing -> {
            Thread[] waiters = {
                waiting("SLEEP", () -> Thread.sleep(25)),
                waiting("PARK", () -> LockSupport.parkNanos(15_000_000)),
                waiting("WAIT", () -> {
                    synchronized (bell) {
                        bell.wait(12);
                    }
                }),
                waiting("MONITOR", () -> {
                    synchronized (lock) {
                        Truth.sink++;
                    }
                }, held),
                start(() -> {
                    while (Truth.open) {
                        synchronized (lock) {
                            held.release();
                            Truth.pause(10);
                        }
                        Truth.pause(5);
                    }
                })
            };
            for (Thread one : waiters) one.join();
        });
    }

    private static Thread waiting(String kind, Waiting wait) {
        return waiting(kind, wait, null);
    }

    private static Thread waiting(String kind, Waiting wait, Semaphore turn) {
        return start(() -> {
            Truth.Log log = new Truth.Log("#" + Thread.currentThread().getId());
            synchronized (Truth.LOGS) {
                Truth.LOGS.add(log);
            }
            try {
                while (Truth.open) {
                    if (turn != null && !turn.tryAcquire(20, TimeUnit.MILLISECONDS)) continue;
                    long begin = System.nanoTime();
                    wait.once();
                    log.waited(kind, begin, System.nanoTime(), "-", 0);
                }
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        });
    }

    /** Ten thousand virtual threads that sleep for half a second, all at once, again and again. */
    static void crowd() {
        if (!HAS_VIRTUAL) return;
        Truth.start("crowd", nothing -> {
            Thread[] crowd = new Thread[10_000];
            for (int i = 0; i < crowd.length; i++) crowd[i] = start(() -> Truth.pause(500));
            for (Thread one : crowd) one.join();
        });
    }

    private static final boolean HAS_VIRTUAL = Runtime.version().feature() >= 21;

    /** By reflection: this compiles on a JDK without them. */
    private static Thread start(Runnable body) {
        try {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
        } catch (ReflectiveOperationException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
