import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Handles requests on its main thread. Each request meets the causes that the arguments name, each with the
 * milliseconds that it takes of a request: "SlowReads=40 HotLoop=10". Ends when standard input ends.
 */
final class Planted {
    private static final Map<String, Supplier<Cause>> CAUSES = Map.ofEntries(
        Map.entry("HeldLock", HeldLock::new),
        Map.entry("HeldWhileReading", HeldWhileReading::new),
        Map.entry("Convoy", Convoy::new),
        Map.entry("Deadlocked", Deadlocked::new),
        Map.entry("SlowReads", SlowReads::new),
        Map.entry("Garbage", Garbage::new),
        Map.entry("GarbageOfAnother", GarbageOfAnother::new),
        Map.entry("ClassLoads", ClassLoads::new),
        Map.entry("Compiles", Compiles::new),
        Map.entry("Sleeps", Sleeps::new),
        Map.entry("PollsForResult", PollsForResult::new),
        Map.entry("HotLoop", HotLoop::new),
        Map.entry("HotInBackground", HotInBackground::new),
        Map.entry("WaitsForWorker", WaitsForWorker::new),
        Map.entry("ThreadPerTask", ThreadPerTask::new),
        Map.entry("HandOffs", HandOffs::new),
        Map.entry("Crowded", Crowded::new),
        Map.entry("Mixed", Mixed::new),
        Map.entry("IdleServer", IdleServer::new),
        Map.entry("QueuedWork", QueuedWork::new),
        Map.entry("ShortLocks", ShortLocks::new),
        Map.entry("TwoWorkers", TwoWorkers::new));

    private static volatile boolean isOver;

    public static void main(String[] args) throws Exception {
        List<Cause> causes = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        for (String arg : args) {
            String[] parts = arg.split("=");
            Cause cause = CAUSES.get(parts[0]).get();
            cause.prepare();
            causes.add(cause);
            sizes.add(Integer.parseInt(parts[1]));
        }
        Thread watcher = new Thread(Planted::waitForEnd, "end of input");
        watcher.setDaemon(true);
        watcher.start();
        // What is recorded shall be the causes, not the compiler's work on them.
        handle(causes, sizes);
        handle(causes, sizes);
        System.out.println("ready");
        while (!isOver) handle(causes, sizes);
        System.exit(0);
    }

    private static void handle(List<Cause> causes, List<Integer> sizes) throws Exception {
        for (int at = 0; at < causes.size(); at++) causes.get(at).step(sizes.get(at));
    }

    private static void waitForEnd() {
        try {
            while (System.in.read() >= 0) continue;
        } catch (java.io.IOException error) {
            System.err.println(error);
        }
        isOver = true;
        // A cause may never return.
        try {
            Thread.sleep(200);
        } catch (InterruptedException error) {
            return;
        }
        Runtime.getRuntime().halt(0);
    }
}
