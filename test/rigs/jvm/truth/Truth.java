import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Does known work on known threads and writes down what it really did. All times are System.nanoTime(), which on Linux
 * is the monotonic clock that recordings use, so that a line here and a row there can be laid side by side.
 *
 * Arguments: the file for the truth, then the names of the parts to run (none: all). Prints "ready" when every part
 * runs; ends, and writes the file, when standard input ends. Lines of the file:
 *   slice THREAD METHOD BEGIN END CPU_BEGIN CPU_END     a stretch of work in one method, with the thread's own CPU clock
 *   wait THREAD KIND BEGIN END BY OTHER_AT              a wait; who ended it and when ("-" 0: nobody)
 *   allocated THREAD BEGIN END BYTES                    by the JVM's own per-thread counter
 *   worked THREAD BEGIN END ID UNITS                    of a virtual thread
 *   classes THREAD BEGIN END COUNT
 *   faulted THREAD BEGIN END COUNT                      major page faults, by the kernel's own per-thread counter
 */
public final class Truth {
    static final com.sun.management.ThreadMXBean CLOCKS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    static volatile boolean open = true;
    static volatile long sink;

    /** What one thread did, kept as text only when all is over: writing while working would be part of the work. */
    static final class Log {
        final String thread;
        /** A thread that waits for good, or that a busy machine keeps from its end, may add lines until the program ends. */
        final List<Object[]> lines = Collections.synchronizedList(new ArrayList<>(4096));

        Log(String thread) {
            this.thread = thread;
        }

        void slice(String method, long begin, long cpuBegin) {
            lines.add(new Object[] {"slice", thread, method, begin, System.nanoTime(), cpuBegin, cpu()});
        }

        void worked(long begin, long id, long units) {
            lines.add(new Object[] {"worked", thread, begin, System.nanoTime(), id, units});
        }

        void waited(String kind, long begin, long end, String by, long at) {
            lines.add(new Object[] {"wait", thread, kind, begin, end, by, at});
        }
    }

    interface Part {
        void round(Log log) throws Exception;
    }

    static final List<Log> LOGS = new ArrayList<>();
    static final List<Thread> THREADS = new ArrayList<>();

    static void start(String name, Part part) {
        Log log = new Log(name);
        LOGS.add(log);
        Thread thread = new Thread(() -> {
            try {
                while (open) part.round(log);
            } catch (Exception failed) {
                failed.printStackTrace();
                System.exit(9);
            }
        }, name);
        thread.setDaemon(true);
        THREADS.add(thread);
    }

    static long cpu() {
        return CLOCKS.getCurrentThreadCpuTime();
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    public static void main(String[] args) throws Exception {
        List<String> parts = List.of(args).subList(1, args.length);
        for (String part : parts.isEmpty() ? ALL : parts) Parts.begin(part);
        for (Thread thread : THREADS) thread.start();
        System.out.println("ready");
        InputStream in = System.in;
        while (in.read() >= 0) continue;
        open = false;
        for (Thread thread : THREADS) thread.join(2000);
        write(args[0]);
    }

    static final List<String> ALL =
            List.of("burn", "lock", "notify", "park", "sleep", "allocate", "deep", "brief", "throw", "load");

    static void write(String file) throws IOException {
        try (PrintWriter out = new PrintWriter(file)) {
            for (Log log : LOGS) {
                for (Object[] line : log.lines.toArray(new Object[0][])) {
                    StringBuilder text = new StringBuilder();
                    for (Object word : line) text.append(text.length() == 0 ? "" : " ").append(word);
                    out.println(text);
                }
            }
        }
    }
}
