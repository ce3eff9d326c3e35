import btrace.BTrace;
import btrace.LagWatch;

/**
 * Handles 60 messages a second of some 2 ms, until it is killed; for each byte on stdin one more that is a lag. Prints the files that it is handed.
 * Arguments: the agent's library, a folder, the ms between two stacks (less than 0: it is not watched), how many other threads work
 * beside, and the ms from which a message is a lag, whatever CPU time it takes. Without the last the watch has its usual limits.
 */
public final class Watched {

    private static volatile long sink;

    public static void main(String[] arguments) throws Exception {
        int stackMs = Integer.parseInt(arguments[2]);
        if (stackMs >= 0) {
            LagWatch watch = new LagWatch(arguments[1]).threads("worker").stackMs(stackMs);
            if (arguments.length > 4) watch.messageMs(Long.parseLong(arguments[4])).cpuPercent(0);
            boolean watches = BTrace.loadFrom(arguments[0]) && watch.start(file -> System.out.println("file " + file));
            if (!watches) throw new IllegalStateException(BTrace.problem());
        }
        Worker worker = new Worker();
        worker.start();
        for (int i = 0; i < 200; i++) worker.post(Watched::message);
        for (int i = Integer.parseInt(arguments[3]); i > 0; i--) {
            int depth = 10 + (i % 40);
            new Thread(() -> workBeside(depth), "beside-" + i).start();
        }
        System.out.println("started");
        while (true) {
            if (!worker.hasMessages()) worker.post(Watched::message);
            if (System.in.available() > 0 && System.in.read() >= 0) worker.post(Watched::lag);
            Thread.sleep(16);
        }
    }

    private static void workBeside(int depth) {
        if (depth > 0) {
            workBeside(depth - 1);
            return;
        }
        long own = 1;
        while (true) {
            for (int i = 0; i < 20_000; i++) own += Long.numberOfTrailingZeros(own | 1);
            sink = own;
            try {
                Thread.sleep(20);
            } catch (InterruptedException ended) {
                return;
            }
        }
    }

    private static void lag() {
        long until = System.nanoTime() + 3_000_000_000L;
        while (System.nanoTime() < until) message();
    }

    private static void message() {
        for (int i = 0; i < 400_000; i++) sink += Long.numberOfTrailingZeros(sink | 1);
    }
}
