import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Programs of the kinds that people record, each by its name: idle, server, compiler, busy, sleeping. For each line on
 * standard input it prints what it has done, and the CPU time of the process.
 */
public final class Budget {
    private static final AtomicLong operations = new AtomicLong();

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "idle" -> {}
            case "server" -> serve();
            case "compiler" -> start("compiler", Budget::compile);
            case "busy" -> {
                for (int i = 0; i < 8; i++) start("busy-" + i, Budget::work);
            }
            case "sleeping" -> {
                for (int i = 0; i < 1500; i++) start("sleeper-" + i, Budget::sleep);
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        BufferedReader asked = new BufferedReader(new InputStreamReader(System.in));
        while (asked.readLine() != null) {
            System.out.println(operations.get() + " " + system.getProcessCpuTime());
        }
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(null, work, name, 256 * 1024);
        thread.setDaemon(true);
        thread.start();
    }

    /** 500 requests a second, which eight threads share: a fifth of a core. */
    private static void serve() {
        LinkedBlockingQueue<Integer> requests = new LinkedBlockingQueue<>();
        for (int i = 0; i < 8; i++) {
            start("handler-" + i, () -> {
                while (true) {
                    try {
                        handle(requests.take());
                    } catch (InterruptedException e) {
                        return;
                    }
                }
            });
        }
        start("clients", () -> {
            while (true) {
                for (int i = 0; i < 2; i++) requests.add(i);
                nap(4);
            }
        });
    }

    private static void handle(int request) {
        for (int i = 0; i < 20; i++) count(request + i);
        operations.incrementAndGet();
    }

    private static void work() {
        while (true) {
            for (int i = 0; i < 50; i++) count(i);
            operations.addAndGet(50);
        }
    }

    private static void count(int seed) {
        Map<String, Integer> counts = new HashMap<>();
        List<String> words = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            String word = "word" + (i * 31 % 57 + seed);
            counts.merge(word, i, Integer::sum);
            words.add(word);
        }
        words.sort(String::compareTo);
        if (counts.size() + words.size() == 0) throw new IllegalStateException();
    }

    private static void sleep() {
        while (true) {
            nap(900 + Thread.currentThread().getId() % 200);
            operations.incrementAndGet();
        }
    }

    private static void nap(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void compile() {
        StringBuilder text = new StringBuilder("class Made { ");
        for (int i = 0; i < 100; i++) {
            text.append("java.util.List<String> m").append(i).append("(java.util.Map<String, Integer> map) {")
                .append(" return map.entrySet().stream().filter(e -> e.getValue() > ").append(i)
                .append(").map(e -> e.getKey() + ").append(i).append(").toList(); } ");
        }
        String source = text.append('}').toString();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        JavaFileManager files =
            new ForwardingJavaFileManager<>(compiler.getStandardFileManager(problems, null, null)) {
                @Override
                public JavaFileObject getJavaFileForOutput(
                    Location at, String name, JavaFileObject.Kind kind, FileObject beside) {
                    return new SimpleJavaFileObject(URI.create("mem:///" + name), kind) {
                        @Override
                        public java.io.OutputStream openOutputStream() {
                            return new java.io.ByteArrayOutputStream();
                        }
                    };
                }
            };
        JavaFileObject made =
            new SimpleJavaFileObject(URI.create("mem:///Made.java"), JavaFileObject.Kind.SOURCE) {
                @Override
                public CharSequence getCharContent(boolean ignoring) {
                    return source;
                }
            };
        while (true) {
            boolean well = compiler.getTask(null, files, problems, null, null, List.of(made)).call();
            if (!well) throw new IllegalStateException(problems.getDiagnostics().toString());
            operations.incrementAndGet();
        }
    }
}
