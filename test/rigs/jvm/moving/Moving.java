import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * Has a native function watch classes that the collector moves. Arguments: the library, and for how many milliseconds.
 * Says how often the agent was right, and how often JNI's stub was wrong meanwhile.
 */
public final class Moving {
    private static volatile boolean open = true;
    private static volatile Object sink;

    private static native int watch(Class<?> type);

    public static final class Passing {}

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        byte[] bytes;
        try (InputStream in = Moving.class.getResourceAsStream("/Moving$Passing.class")) {
            bytes = in.readAllBytes();
        }
        keep(() -> {
            ArrayDeque<byte[]> kept = new ArrayDeque<>();
            while (open) {
                byte[] text = new byte[64];
                Arrays.fill(text, (byte) 1);
                kept.add(text);
                if (kept.size() > 200_000) for (int i = 0; i < 150_000; i++) kept.poll();
            }
        });
        keep(() -> {
            while (open) {
                System.gc();
                LockSupport.parkNanos(200_000_000);
            }
        });
        int[] seen = new int[4];
        long end = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000;
        for (int round = 0; System.nanoTime() < end || round == 0; round++) {
            // What lies around the class goes at once: the collector has a reason to move it.
            for (int i = 0; i < 20_000; i++) sink = new byte[100];
            Class<?> passing = load(bytes);
            for (int i = 0; i < 20_000; i++) sink = new byte[100];
            seen[1 + watch(passing)]++;
        }
        open = false;
        System.out.println("unknown " + seen[0] + ", right " + (seen[1] + seen[2]) + ", wrong " + seen[3]
                + ", stub wrong " + seen[2]);
        System.exit(0);
    }

    private static void keep(Runnable body) {
        Thread thread = new Thread(body);
        thread.setDaemon(true);
        thread.start();
    }

    private static Class<?> load(byte[] bytes) throws Exception {
        return new ClassLoader(Moving.class.getClassLoader()) {
            @Override
            public Class<?> loadClass(String name) throws ClassNotFoundException {
                return name.equals("Moving$Passing") ? defineClass(name, bytes, 0, bytes.length) : super.loadClass(name);
            }
        }.loadClass("Moving$Passing");
    }
}
