import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/** The parts of the program, each with its threads. */
final class Parts {
    private Parts() {}

    static void begin(String name) {
        switch (name) {
            case "burn" -> burn();
            case "lock" -> Waits.lock();
            case "notify" -> Waits.notifying();
            case "park" -> Waits.park();
            case "sleep" -> Waits.sleep();
            case "ask" -> Waits.ask();
            case "socket" -> Waits.socket();
            case "select" -> Waits.select();
            case "allocate" -> allocate();
            case "deep" -> work("deep", 60, "Work.down", () -> Work.down(1500, 90));
            case "deeper" -> work("deeper", 60, "Work.down", () -> Work.down(6000, 90));
            case "brief" -> work("brief", 60, "Work.manyBrief", () -> Work.manyBrief(90));
            case "throw" -> work("thrower", 60, "Work.throwing", () -> Work.throwing(90));
            case "read" -> read();
            case "load" -> Classes.load();
            case "replace" -> Classes.replace();
            case "inline" -> Classes.inline();
            case "runaway" -> Truth.start("runaway", log -> {
                try {
                    Work.runaway();
                } catch (StackOverflowError end) {
                    Truth.sink++;
                }
            });
            case "short" -> briefly();
            case "virtual" -> Virtual.work();
            case "virtual-waits" -> Virtual.waits();
            case "virtual-crowd" -> Virtual.crowd();
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
