import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Everything that makes a stack hard to walk, all the time and on several threads: code that is compiled, thrown away and
 * compiled again, classes that come and go, hidden frames, stubs and intrinsics, deep recursion, exceptions, natives,
 * threads that begin and end, collections in between. Says "ready" when all of it runs; ends when standard input ends.
 */
public final class Storm {
    private static volatile boolean open = true;
    private static volatile long sink;
    private static final Object LOCK = new Object();
    private static final List<Thread> THREADS = new ArrayList<>();

    private interface Round {
        void run(int round) throws Throwable;
    }

    public static void main(String[] args) throws Exception {
        byte[] loaded;
        try (InputStream in = Storm.class.getResourceAsStream("/Storm$Passing.class")) {
            loaded = in.readAllBytes();
        }
        keep("classes", round -> classes(loaded));
        keep("compiler", Storm::deoptimise);
        keep("deep", round -> sink += deep(round % 3000));
        keep("throws", round -> thrown(round % 60));
        keep("stubs", Storm::stubs);
        keep("natives", Storm::natives);
        keep("lambdas", Storm::lambdas);
        for (int i = 0; i < 2; i++) keep("locks-" + i, round -> locked());
        keep("threads", round -> threads());
        keep("waits", Storm::waits);
        keep("collects", round -> {
            Thread.sleep(200);
            System.gc();
        });
        for (Thread thread : THREADS) thread.start();
        System.out.println("ready");
        while (System.in.read() >= 0) continue;
        open = false;
        for (Thread thread : THREADS) thread.join();
    }

    private static void keep(String name, Round part) {
        THREADS.add(new Thread(() -> {
            try {
                for (int round = 0; open; round++) part.run(round);
            } catch (Throwable failed) {
                failed.printStackTrace();
                System.exit(9);
            }
        }, name));
    }

    /** Each time a class of its own, hidden or by a loader that is dropped at once. */
    public static final class Passing implements IntUnaryOperator {
        @Override
        public int applyAsInt(int n) {
            int x = n;
            for (int i = 0; i < 5_000; i++) x = x * 31 + i;
            return x;
        }
    }

    private static void classes(byte[] bytes) throws Throwable {
        Class<?> hidden = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
        Class<?> loaded = new ClassLoader(Storm.class.getClassLoader()) {
            @Override
            public Class<?> loadClass(String name) throws ClassNotFoundException {
                return name.equals("Storm$Passing") ? defineClass(name, bytes, 0, bytes.length) : super.loadClass(name);
            }
        }.loadClass("Storm$Passing");
        for (Class<?> made : List.of(hidden, loaded)) {
            IntUnaryOperator operator = (IntUnaryOperator) made.getDeclaredConstructor().newInstance();
            for (int i = 0; i < 50; i++) sink += operator.applyAsInt(i);
        }
    }

    /** The call has had one receiver for so long that it was inlined; then there are others. */
    private static void deoptimise(int round) {
        IntUnaryOperator[] few = {n -> n + 1, n -> n * 3, n -> n ^ round, Integer::reverse, n -> round % 7 == 0 ? deep(20) : n};
        int x = round;
        for (int i = 0; i < 20_000; i++) x = few[round / 50 % few.length].applyAsInt(x);
        Object[] mixed = {x, "text", (long) x, new int[] {x}};
        for (int i = 0; i < 2_000; i++) sink += mixed[i % (1 + round % mixed.length)].hashCode();
    }

    private static int deep(int depth) {
        return depth == 0 ? (int) sink : deep(depth - 1) + 1;
    }

    private static void thrown(int depth) {
        try {
            fail(depth);
        } catch (IllegalStateException expected) {
            sink += expected.getStackTrace().length;
        }
        try {
            Object[] nothing = new Object[depth % 2];
            sink += nothing[0].hashCode(); // no element, or null: traps of compiled code
        } catch (ArrayIndexOutOfBoundsException | NullPointerException expected) {
            sink++;
        }
    }

    private static void fail(int depth) {
        if (depth == 0) throw new IllegalStateException("wanted");
        fail(depth - 1);
    }

    private static final Pattern WORDS = Pattern.compile("(\\w+)\\s*=\\s*(\\d+)");

    private static void stubs(int round) {
        byte[] from = new byte[10_000 + round % 1000];
        byte[] to = Arrays.copyOf(from, from.length * 2);
        System.arraycopy(to, 3, from, 1, from.length - 4);
        sink += Arrays.hashCode(to) + new String(from).indexOf('x');
        String text = "key = " + round + ", other=" + round * 7;
        sink += WORDS.matcher(text.repeat(20)).results().count();
        sink += BigInteger.valueOf(round + 3L).pow(200).mod(BigInteger.valueOf(97)).intValue();
        sink += (long) (Math.sin(round) * Math.exp(round % 5) * 1000);
    }

    private static void natives(int round) throws Exception {
        byte[] input = ("what is packed " + round).repeat(100).getBytes();
        CRC32 sum = new CRC32();
        sum.update(input);
        Deflater deflater = new Deflater();
        deflater.setInput(input);
        deflater.finish();
        sink += deflater.deflate(new byte[4096]) + sum.getValue();
        deflater.end();
        Method hash = Object.class.getMethod("hashCode");
        for (int i = 0; i < 40; i++) sink += (int) hash.invoke(new Object());
        Runnable proxied = (Runnable) Proxy.newProxyInstance(
                Storm.class.getClassLoader(), new Class<?>[] {Runnable.class}, (proxy, method, args) -> null);
        proxied.run();
    }

    private static void lambdas(int round) {
        ConcurrentHashMap<Integer, List<String>> groups = new ConcurrentHashMap<>();
        IntStream.range(0, 2_000).boxed().sorted((a, b) -> b - a)
                .forEach(n -> groups.computeIfAbsent(n % 17, key -> new ArrayList<>()).add("n" + n));
        sink += groups.values().stream().mapToInt(List::size).filter(size -> size > round % 100).sum();
    }

    private static void locked() {
        for (int i = 0; i < 200; i++) {
            synchronized (LOCK) {
                sink += deep(20);
            }
        }
    }

    private static void threads() throws Exception {
        int count = 8;
        CountDownLatch done = new CountDownLatch(count);
        for (int i = 0; i < count; i++) start(i % 2 == 0, () -> {
            sink += deep(100);
            Thread.yield();
            done.countDown();
        });
        done.await();
    }

    /** Virtual threads that wait in every way there is, at any depth: each leaves its carrier and comes back to another. */
    private static void waits(int round) throws Exception {
        int count = 100;
        CountDownLatch done = new CountDownLatch(count);
        Object bell = new Object();
        for (int i = 0; i < count; i++) {
            int way = i;
            start(true, () -> {
                sink += waiting(round % 7 * way, way, bell);
                done.countDown();
            });
        }
        done.await();
    }

    private static int waiting(int depth, int way, Object bell) {
        if (depth > 0) return waiting(depth - 1, way, bell) + 1;
        try {
            switch (way % 5) {
                case 0 -> Thread.sleep(way % 4);
                case 1 -> LockSupport.parkNanos(way * 20_000L);
                case 2 -> locked();
                case 3 -> {
                    synchronized (bell) {
                        bell.wait(1 + way % 3);
                    }
                }
                default -> {
                    for (int i = 0; i < 200; i++) Thread.yield();
                }
            }
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
        return 0;
    }

    /** A virtual thread where there are any: this compiles on a JDK without them. */
    private static void start(boolean virtual, Runnable body) throws Exception {
        if (virtual && Runtime.version().feature() >= 21)
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
        else new Thread(body, "brief").start();
    }
}
