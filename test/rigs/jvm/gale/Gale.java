import java.io.InputStream;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * What makes it dangerous to look into a JVM while it runs, by the names given: allocations on many threads during
 * collections, classes that come and go, threads that come and go, System.gc(), stacks that overflow, locks that are
 * fought for. Says "ready" when all of it runs and ends when standard input ends; with "exit" it exits in the midst
 * of it. The first argument is the seed: the same one makes the same choices.
 */
public final class Gale {
    private static volatile boolean open = true;
    private static volatile Object sink;
    private static volatile long sum;
    private static final Object[] LOCKS = {new Object(), new Object[0], new StringBuilder(), new ArrayList<>()};
    private static final List<Thread> THREADS = new ArrayList<>();

    private interface Round {
        void run(Random random) throws Throwable;
    }

    public static void main(String[] args) throws Exception {
        long seed = Long.parseLong(args[0]);
        Set<String> parts = Set.of(List.of(args).subList(1, args.length).toArray(new String[0]));
        byte[] passing;
        try (InputStream in = Gale.class.getResourceAsStream("/Gale$Passing.class")) {
            passing = in.readAllBytes();
        }
        if (parts.contains("allocate")) for (int i = 0; i < 8; i++) keep("allocate-" + i, seed + i, allocate());
        if (parts.contains("classes")) keep("classes", seed, random -> load(passing));
        if (parts.contains("threads")) keep("threads", seed, Gale::churn);
        if (parts.contains("overflow")) keep("overflow", seed, random -> overflow());
        if (parts.contains("locks")) for (int i = 0; i < 3; i++) keep("locks-" + i, seed + i, Gale::fight);
        if (parts.contains("calculate")) keep("calculate", seed, Gale::calculate);
        if (parts.contains("gc"))
            keep("gc", seed, random -> {
                System.gc();
                Thread.sleep(random.nextInt(50));
            });
        for (Thread thread : THREADS) thread.start();
        System.out.println("ready");
        while (System.in.read() >= 0) continue;
        if (parts.contains("exit")) System.exit(0);
        open = false;
        for (Thread thread : THREADS) thread.join();
    }

    private static void keep(String name, long seed, Round round) {
        THREADS.add(new Thread(null, () -> {
            Random random = new Random(seed);
            try {
                while (open) round.run(random);
            } catch (Throwable failed) {
                failed.printStackTrace();
                System.exit(9);
            }
        }, name, 1 << 20));
    }

    /** Of many classes and sizes; some live on for a while, so that collectors have to move them. */
    private static Round allocate() {
        Object[] kept = new Object[4096];
        Class<?>[] types = {byte.class, long.class, String.class, Object.class, Thread.class, Class.class, Gale.class};
        return random -> {
            for (int i = 0; i < 1000; i++) {
                int kind = random.nextInt(types.length + 3);
                Object made = kind < types.length ? Array.newInstance(types[kind], random.nextInt(300))
                        : kind == types.length ? new Passing()
                        : kind == types.length + 1 ? new ArrayList<>(List.of(i))
                        : "text " + i;
                sink = made;
                if (i % 8 == 0) kept[random.nextInt(kept.length)] = made;
            }
        };
    }

    public static final class Passing {
        static final byte[] TEXT = new byte[100];
        final long[] numbers = new long[8];
    }

    /** Each class has a loader of its own, which nobody keeps. */
    private static void load(byte[] bytes) throws Exception {
        Class<?> made = new ClassLoader(Gale.class.getClassLoader()) {
            @Override
            public Class<?> loadClass(String name) throws ClassNotFoundException {
                return name.equals("Gale$Passing") ? defineClass(name, bytes, 0, bytes.length) : super.loadClass(name);
            }
        }.loadClass("Gale$Passing");
        for (int i = 0; i < 50; i++) sink = made.getDeclaredConstructor().newInstance();
    }

    private static void churn(Random random) throws Exception {
        int count = 1 + random.nextInt(16);
        CountDownLatch done = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            new Thread(() -> {
                sink = new byte[ThreadLocalRandom.current().nextInt(8192)];
                done.countDown();
            }, "brief").start();
        }
        done.await();
    }

    private static void calculate(Random random) {
        long x = random.nextInt();
        for (int i = 0; i < 1_000_000; i++) x = x * 31 + (x >>> 7);
        sum += x;
    }

    private static void overflow() {
        try {
            deeper(0);
        } catch (StackOverflowError wanted) {
            sink = wanted;
        }
    }

    private static long deeper(long depth) {
        byte[] here = depth % 64 == 0 ? new byte[64] : null;
        sink = here;
        return deeper(depth + 1) + 1;
    }

    private static void fight(Random random) throws Exception {
        Object lock = LOCKS[random.nextInt(LOCKS.length)];
        synchronized (lock) {
            sink = new byte[random.nextInt(1000)];
            if (random.nextInt(4) == 0) lock.wait(1);
            else lock.notify();
        }
        LockSupport.parkNanos(random.nextInt(100_000));
    }
}
