import btrace.BTrace;
import btrace.LagWatch;
import java.awt.EventQueue;
import java.util.concurrent.CountDownLatch;

/**
 * Hangs now and then, and watches itself. Arguments: the agent's library, the folder, what it does (hang, exit, wait, freeze). Prints what it did, a
 * message a line: name of the thread, of the method, how long it took in ns; then the files that it was handed, and the number of lags.
 */
public final class Laggy {

    static final long LIMIT_MS = 250;
    private static final Worker WORKER = new Worker();
    private static final Object LOCK = new Object();
    private static volatile long sink;

    public static void main(String[] arguments) throws Exception {
        if (!BTrace.loadFrom(arguments[0])) throw new IllegalStateException(BTrace.problem());
        LagWatch watch = new LagWatch(arguments[1])
            .threads("worker")
            .version("1.2.3")
            .device("test")
            .user("somebody")
            .always(true)
            .messageMs(LIMIT_MS)
            .lookMs(50)
            .stackMs(20)
            .cpuPercent(0);
        if (!watch.start(file -> say("file " + file))) throw new IllegalStateException(BTrace.problem());
        say("last " + LagWatch.lastEnd());
        WORKER.start();
        onWorker("settle", () -> pause(20));
        onAwt("settle", () -> pause(20));
        Thread.sleep(300);
        // On a busy machine the first messages load classes for long.
        say("before " + LagWatch.lags());
        if (arguments[2].equals("freeze")) {
            onWorker("freeze", Laggy::freeze);
            return;
        }
        if (arguments[2].equals("hang")) {
            onWorker("compute", () -> compute(450));
            onWorker("short", () -> pause(60));
            onWorker("sleepy", Laggy::sleepy);
            onWorker("short", () -> compute(60));
            onWorker("locked", Laggy::locked);
            onAwt("repaint", () -> compute(450));
            onAwt("short", () -> pause(60));
            onAwt("twoParts", Laggy::twoParts);
            onAwt("repaint", () -> compute(450));
            // The same stack as the last lag's: found, and not written again.
            onAwt("repaint", () -> compute(450));
        }
        Thread.sleep(700);
        say("lags " + LagWatch.lags());
        if (arguments[2].equals("wait")) Thread.sleep(Long.MAX_VALUE);
        if (!LagWatch.stop()) throw new IllegalStateException(BTrace.problem());
    }

    private static void onWorker(String name, Runnable task) throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        WORKER.post(() -> measure("worker", name, task, done));
        done.await();
        // It waits for the next one, as long as a wait must be to be seen.
        Thread.sleep(60);
    }

    private static void onAwt(String name, Runnable task) throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        EventQueue.invokeLater(() -> measure("AWT", name, task, done));
        done.await();
        Thread.sleep(60);
    }

    private static void measure(String thread, String name, Runnable task, CountDownLatch done) {
        long begin = System.nanoTime();
        task.run();
        say("message " + thread + " " + name + " " + (System.nanoTime() - begin));
        done.countDown();
    }

    private static void sleepy() {
        pause(450);
    }

    private static void freeze() {
        pause(Long.MAX_VALUE);
    }

    private static void locked() {
        CountDownLatch held = new CountDownLatch(1);
        Thread owner = new Thread(() -> {
            synchronized (LOCK) {
                held.countDown();
                pause(450);
            }
        });
        owner.start();
        try {
            held.await();
        } catch (InterruptedException e) {
            return;
        }
        synchronized (LOCK) {
            sink++;
        }
    }

    /** The costly part comes first. */
    private static void twoParts() {
        costly();
        pause(90);
    }

    private static void costly() {
        compute(400);
    }

    private static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void compute(long ms) {
        long until = System.nanoTime() + ms * 1_000_000L;
        while (System.nanoTime() < until) for (int i = 0; i < 10_000; i++) sink += Long.numberOfTrailingZeros(sink | 1);
    }

    private static synchronized void say(String line) {
        System.out.println(line);
    }
}
