import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A worker that allocates, hashes and sorts; for each line on standard input it prints what it has done and its CPU time. */
public final class Throughput {
    private static volatile long operations;

    public static void main(String[] arguments) throws Exception {
        Thread worker = new Thread(Throughput::work, "worker");
        worker.setDaemon(true);
        worker.start();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        BufferedReader asked = new BufferedReader(new InputStreamReader(System.in));
        while (asked.readLine() != null) {
            long cpu = threads.getThreadCpuTime(worker.getId());
            System.out.println(operations + " " + cpu);
        }
    }

    private static void work() {
        while (true) {
            Map<String, Integer> counts = new HashMap<>();
            List<String> words = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                String word = "word" + (i * 31 % 57);
                counts.merge(word, i, Integer::sum);
                words.add(word);
            }
            words.sort(String::compareTo);
            if (counts.size() + words.size() == 0) throw new IllegalStateException();
            operations++;
        }
    }
}
