import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The parts of the program, each with its threads. */
final class Parts {
    private Parts() {}

    static void begin(String name) {
        switch (name) {
            case "burn" -> burn();
            case "lock" -> lock();
            case "notify" -> notifying();
            case "park" -> park();
            case "sleep" -> sleep();
            case "ask" -> ask();
            case "allocate" -> allocate();
            case "deep" -> work("deep", 60, "Work.down", () -> Work.down(1500, 90));
            case "brief" -> work("brief", 60, "Work.manyBrief", () -> Work.manyBrief(90));
            case "throw" -> work("thrower", 60, "Work.throwing", () -> Work.throwing(90));
            case "read" -> read();
            case "load" -> load();
            case "replace" -> replace();
            case "inline" -> inline();
            case "runaway" -> Truth.start("runaway", log -> {
                try {
                    Work.runaway();
                } catch (StackOverflowError end) {
                    Truth.sink++;
                }
            });
            case "short" -> briefly();
            case "virtual" -> virtual();
            case "virtual-waits" -> virtualWaits();
            case "virtual-crowd" -> virtualCrowd();
            case "churn" -> churn();
            case "fork" -> fork();
            case "garbage" -> garbage();
            case "names" -> Truth.start("names", log -> Names.all());
            case "fault" -> fault();
            default -> many(Integer.parseInt(name));
        }
    }

    private static void work(String thread, long pauseMillis, String method, Runnable body) {
        Truth.start(thread, log -> {
            timed(log, method, body);
            Truth.pause(pauseMillis);
        });
    }

    private static void timed(Truth.Log log, String method, Runnable body) {
        long begin = System.nanoTime();
        long cpu = Truth.cpu();
        body.run();
        log.slice(method, begin, cpu);
    }

    /** Stretches of work far shorter than any interval, two of one for one of the other, in four threads. */
    private static void briefly() {
        for (int i = 0; i < 4; i++) {
            Random random = new Random(i);
            Truth.start("short-" + i, log -> {
                if (random.nextInt(3) > 0) timed(log, "Work.often", () -> Work.often(300));
                else timed(log, "Work.seldom", () -> Work.seldom(300));
                Truth.pause(2);
            });
        }
    }

    /** Shares 1/2, 1/3, 1/6 of one thread's CPU time. */
    private static void burn() {
        Truth.start("burner", log -> {
            timed(log, "Work.half", () -> Work.half(300));
            timed(log, "Work.third", () -> Work.third(200));
            timed(log, "Work.rest", () -> Work.rest(100));
        });
    }

    /**
     * About a third of its time within system calls of several intervals each, in which a thread takes no interrupt: a file of nothing,
     * which is in memory after the first time, into the same buffer again and again.
     */
    private static void read() {
        FileChannel file;
        try {
            Path path = Files.createTempFile(Path.of(System.getProperty("java.class.path")).getParent(), "nothing", "");
            file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
            file.write(ByteBuffer.allocate(1), READ_BYTES - 1);
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
        ByteBuffer[] buffers = new ByteBuffer[16];
        buffers[0] = ByteBuffer.allocateDirect((int) (READ_BYTES / buffers.length));
        for (int i = 1; i < buffers.length; i++) buffers[i] = buffers[0].duplicate();
        boolean[] first = {true};
        Truth.start("reader", log -> {
            // While a recording begins: nobody has met the calls then.
            if (first[0]) Work.rest(2000);
            first[0] = false;
            for (ByteBuffer buffer : buffers) buffer.clear();
            file.position(0);
            timed(log, "Work.read", () -> Work.read(file, buffers));
            timed(log, "Work.rest", () -> Work.rest(60));
        });
    }

    private static final long READ_BYTES = 192 << 20;

    /** The holder has the lock for 25 ms of every round; the contender asks for it 5 ms after, or too late on a busy machine. */
    private static void lock() {
        Object lock = new Object();
        Semaphore held = new Semaphore(0);
        Semaphore done = new Semaphore(0);
        Thread[] contender = new Thread[1];
        long[] released = new long[1];
        boolean[] awaited = new boolean[1];
        Truth.start("holder", log -> {
            synchronized (lock) {
                held.release();
                Truth.pause(25);
                awaited[0] = contender[0] != null && contender[0].getState() == Thread.State.BLOCKED;
                released[0] = System.nanoTime();
            }
            done.acquireUninterruptibly();
        });
        Truth.start("contender", log -> {
            contender[0] = Thread.currentThread();
            held.acquireUninterruptibly();
            Truth.pause(5);
            long begin = System.nanoTime();
            synchronized (lock) {
                if (awaited[0]) log.waited("MONITOR", begin, System.nanoTime(), "holder", released[0]);
            }
            done.release();
        });
    }

    private static void notifying() {
        Object bell = new Object();
        long[] rung = new long[2];
        Truth.start("waiter", log -> {
            synchronized (bell) {
                rung[0]++;
                long begin = System.nanoTime();
                long round = rung[0];
                while (rung[1] < round) bell.wait();
                log.waited("WAIT", begin, System.nanoTime(), "ringer", lastRing);
            }
        });
        Truth.start("ringer", log -> {
            Truth.pause(20);
            synchronized (bell) {
                if (rung[1] < rung[0]) {
                    rung[1] = rung[0];
                    lastRing = System.nanoTime();
                    bell.notify();
                }
            }
        });
    }

    private static volatile long lastRing;
    private static volatile Thread sitting;
    private static volatile long lastUnpark;
    private static volatile boolean sat;

    /** On a busy machine the sitter may be roused before it sits: that is no wait. */
    private static void park() {
        Object bench = new Object();
        Truth.start("sitter", log -> {
            long begin = System.nanoTime();
            sitting = Thread.currentThread();
            while (sitting != null) LockSupport.park(bench);
            if (sat) log.waited("PARK", begin, System.nanoTime(), "rouser", lastUnpark);
        });
        Truth.start("rouser", log -> {
            Truth.pause(20);
            Thread sitter = sitting;
            if (sitter != null) {
                sat = sitter.getState() == Thread.State.WAITING;
                sitting = null;
                lastUnpark = System.nanoTime();
                LockSupport.unpark(sitter);
            }
        });
    }

    private static void sleep() {
        Truth.start("sleeper", log -> {
            long begin = System.nanoTime();
            Truth.pause(25);
            log.waited("SLEEP", begin, System.nanoTime(), "-", 0);
        });
    }

    /** Sleeps, asks somebody and waits for the answer, which is input and no point, and sleeps again: it is seen at its sleeps alone. */
    private static void ask() {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket asker = new Socket(server.getInetAddress(), server.getLocalPort());
            Socket answerer = server.accept();
            Truth.start("asker", log -> {
                asker.getOutputStream().write(1);
                asker.getInputStream().read();
                long begin = System.nanoTime();
                Truth.pause(10);
                log.waited("SLEEP", begin, System.nanoTime(), "-", 0);
            });
            Truth.start("answerer", log -> {
                int asked = answerer.getInputStream().read();
                Truth.pause(30);
                answerer.getOutputStream().write(asked);
            });
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** 1,000 arrays of 10,016 bytes a round. */
    private static void allocate() {
        Truth.start("allocator", log -> {
            long begin = System.nanoTime();
            long before = Truth.CLOCKS.getThreadAllocatedBytes(Thread.currentThread().getId());
            for (int i = 0; i < 1_000; i++) Truth.sink += buffer(10_000).length;
            long bytes = Truth.CLOCKS.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
            log.lines.add(new Object[] {"allocated", log.thread, begin, System.nanoTime(), bytes});
            Truth.pause(20);
        });
    }

    static volatile byte[] kept;

    private static byte[] buffer(int size) {
        byte[] made = new byte[size];
        kept = made; // escapes, so that it is really allocated
        return made;
    }

    /** Loads the same small class again and again, each time by a loader of its own. */
    private static void load() {
        byte[] bytes = bytesOf("Loaded");
        Truth.start("loader", log -> {
            long begin = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                Method method = new Fresh("Loaded", bytes).loadClass("Loaded").getMethod("touch");
                Truth.sink += (int) method.invoke(null);
            }
            log.lines.add(new Object[] {"classes", log.thread, begin, System.nanoTime(), 10});
            Truth.pause(30);
        });
    }

    /** Loads class after class, each of which makes objects of its own and goes soon, so that another may lie in its place. */
    private static void replace() {
        byte[] bytes = bytesOf("Passing000");
        int[] number = {0};
        Truth.start("replacing", log -> {
            String name = String.format("Passing%03d", ++number[0] % 1000);
            new Fresh(name, renamed(bytes, "Passing000", name)).loadClass(name).getMethod("make").invoke(null);
            Truth.pause(20);
            if (number[0] % 10 == 0) System.gc();
        });
    }

    /** A class file with another name in the place of one as long. */
    private static byte[] renamed(byte[] classFile, String from, String to) {
        return new String(classFile, StandardCharsets.ISO_8859_1).replace(from, to).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** A method that is nearly all work of its caller's, and inlined there: compiled anew again and again. */
    private static void inline() {
        byte[] bytes = bytesOf("Inlined");
        Truth.start("inlining", log -> {
            Method method = new Fresh("Inlined", bytes).loadClass("Inlined").getMethod("outer", long.class);
            Truth.sink += (int) method.invoke(null, System.nanoTime() + 200_000_000);
        });
    }

    private static byte[] bytesOf(String type) {
        try (InputStream in = Parts.class.getResourceAsStream("/" + type + ".class")) {
            return in.readAllBytes();
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    static final class Fresh extends ClassLoader {
        private final String own;
        private final byte[] bytes;

        Fresh(String own, byte[] bytes) {
            super(Parts.class.getClassLoader());
            this.own = own;
            this.bytes = bytes;
        }

        @Override
        public Class<?> loadClass(String name) throws ClassNotFoundException {
            return name.equals(own) ? defineClass(name, bytes, 0, bytes.length) : super.loadClass(name);
        }
    }

    /**
     * Virtual threads that work in the ratio 1 : 2 : 3 in one and the same stack, and wait for the same lock now and then. They
     * cannot read a clock of their own: how much each did is counted.
     */
    private static void virtual() {
        if (!HAS_VIRTUAL) return;
        Object lock = new Object();
        Truth.start("starter", nothing -> {
            Thread[] virtual = new Thread[3];
            for (int i = 0; i < virtual.length; i++) {
                int ratio = i + 1;
                Truth.Log log = new Truth.Log("virtual-" + ratio);
                Truth.LOGS.add(log);
                virtual[i] = virtual(() -> {
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
    private static void virtualWaits() {
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
                virtual(() -> {
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
        return virtual(() -> {
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
    private static void virtualCrowd() {
        if (!HAS_VIRTUAL) return;
        Truth.start("crowd", nothing -> {
            Thread[] crowd = new Thread[10_000];
            for (int i = 0; i < crowd.length; i++) crowd[i] = virtual(() -> Truth.pause(500));
            for (Thread one : crowd) one.join();
        });
    }

    private static final boolean HAS_VIRTUAL = Runtime.version().feature() >= 21;

    /** By reflection: this compiles on a JDK without them. */
    private static Thread virtual(Runnable body) {
        try {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
        } catch (ReflectiveOperationException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** Starts a program ten times a second: the child of a fork must not think that it is recorded. */
    private static void fork() {
        Truth.start("forker", log -> {
            int code = new ProcessBuilder("true").start().waitFor();
            if (code != 0) throw new IllegalStateException("the child ended with " + code);
            Truth.pause(100);
        });
    }

    /** Collects, so that classes without a loader go. */
    private static void garbage() {
        Truth.start("collector", log -> {
            System.gc();
            Truth.pause(50);
        });
    }

    /**
     * Reads files that nobody has written to, new ones each time: what is not in memory is a major page fault, also where there is
     * nothing to fetch from a disk. How many there truly were the kernel tells this thread, too.
     */
    private static void fault() {
        Path folder = Path.of(System.getProperty("java.class.path")).getParent();
        long[] last = new long[2];
        Truth.start("faulter", log -> {
            MappedByteBuffer[] files = new MappedByteBuffer[4];
            for (int i = 0; i < files.length; i++) files[i] = emptyPage(folder);
            long begin = System.nanoTime();
            long before = majorFaults();
            // Where memory is short, or the JVM's own code is not in it yet.
            if (last[0] > 0 && before > last[1])
                log.lines.add(new Object[] {"faulted", log.thread, last[0], begin, before - last[1]});
            for (MappedByteBuffer file : files) Truth.sink += file.get(0);
            last[0] = System.nanoTime();
            last[1] = majorFaults();
            log.lines.add(new Object[] {"faulted", log.thread, begin, last[0], last[1] - before});
            Truth.pause(20);
        });
    }

    private static MappedByteBuffer emptyPage(Path folder) throws IOException {
        Path file = Files.createTempFile(folder, "page", "");
        try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
            opened.setLength(4096);
            return opened.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, 4096);
        } finally {
            Files.delete(file);
        }
    }

    /** Of the calling thread: the twelfth field, the tenth after its name. */
    private static long majorFaults() throws IOException {
        String stat = Files.readString(Path.of("/proc/thread-self/stat"));
        return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[9]);
    }

    /** About 200 short threads a second. */
    private static void churn() {
        Truth.start("churn", log -> {
            for (int i = 0; i < 10; i++) {
                Thread brief = new Thread(() -> Work.rest(1), "brief-" + i);
                brief.setDaemon(true);
                brief.start();
            }
            Truth.pause(50);
        });
    }

    /** Many threads that mostly wait. */
    private static void many(int count) {
        for (int i = 0; i < count; i++) {
            Truth.start("crowd-" + i, log -> {
                Truth.sink += Work.brief(7);
                Truth.pause(200);
            });
        }
    }
}
