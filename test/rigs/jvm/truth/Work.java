import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Work that takes as long as it is told to, by the thread's own CPU clock, each under a name of its own. */
final class Work {
    private Work() {}

    /** About 20 µs between two looks at the clock, which costs about 1 µs. */
    static long grind(long seed) {
        long x = seed | 1;
        for (int i = 0; i < 20_000; i++) x = x * 6364136223846793005L + 1442695040888963407L;
        return x;
    }

    static void half(long millis) {
        long until = Truth.cpu() + millis * 1_000_000;
        while (Truth.cpu() < until) Truth.sink += grind(until);
    }

    static void third(long millis) {
        long until = Truth.cpu() + millis * 1_000_000;
        while (Truth.cpu() < until) Truth.sink += grind(until);
    }

    static void rest(long millis) {
        long until = Truth.cpu() + millis * 1_000_000;
        while (Truth.cpu() < until) Truth.sink += grind(until);
    }

    /** All of the buffers by one system call. */
    static void read(FileChannel file, ByteBuffer[] buffers) {
        try {
            Truth.sink += file.read(buffers);
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    static void down(int depth, long millis) {
        if (depth > 0) down(depth - 1, millis);
        else bottom(millis);
        Truth.sink++;
    }

    static void bottom(long millis) {
        long until = Truth.cpu() + millis * 1_000_000;
        while (Truth.cpu() < until) Truth.sink += grind(until);
    }

    /** Calls of some tens of ns each: far below any interval. */
    static void manyBrief(long millis) {
        long until = Truth.cpu() + millis * 1_000_000;
        while (Truth.cpu() < until) for (int i = 0; i < 200; i++) Truth.sink += Math.floorMod(brief(i), 97);
    }

    static int brief(int n) {
        return Integer.reverse(n * 31) ^ Long.hashCode(n * 0x9E3779B97F4A7C15L);
    }

    static void throwing(long millis) {
        long until = Truth.cpu() + millis * 1_000_000;
        while (Truth.cpu() < until) {
            try {
                fail(10);
            } catch (IllegalStateException expected) {
                Truth.sink++;
            }
        }
    }

    static void fail(int depth) {
        if (depth == 0) throw new IllegalStateException("wanted");
        fail(depth - 1);
    }

    static void often(long micros) {
        long until = Truth.cpu() + micros * 1_000;
        while (Truth.cpu() < until) Truth.sink += grind(until);
    }

    static void seldom(long micros) {
        long until = Truth.cpu() + micros * 1_000;
        while (Truth.cpu() < until) Truth.sink += grind(until);
    }

    static void holding(long millis) {
        long until = Truth.cpu() + millis * 1_000_000;
        while (Truth.cpu() < until) Truth.sink += grind(until);
    }

    /** Of a virtual thread, whose id is written down with what it did: about 35 ms times its ratio. */
    static void turn(Truth.Log log, int ratio, Object lock) {
        long begin = System.nanoTime();
        units(28_000 * ratio);
        synchronized (lock) {
            units(2_000 * ratio);
        }
        log.worked(begin, Thread.currentThread().getId(), 30_000L * ratio);
        Truth.pause(2);
    }

    static void units(int count) {
        for (int i = 0; i < count; i++) Truth.sink += grind(i);
    }

    /** Until the stack is full. */
    static void runaway() {
        Truth.sink++;
        runaway();
    }
}
