import java.util.zip.Deflater;

/**
 * Works in two native functions, the first partly through a third, and prints at its end what each used: "used DEAL_NS SIFT_NS SHUFFLE_NS".
 * Another thread works in the JDK's own native functions: it packs; a third one in the JVM, which makes its arrays. Argument: the library.
 */
public final class NativeWork {
    private static volatile boolean open = true;

    private static native int both(int seed, int rounds, long[] used);

    private static void pack() {
        byte[] text = new byte[1 << 16];
        byte[] packed = new byte[1 << 17];
        for (int i = 0; i < text.length; i++) text[i] = (byte) (i * i >>> 7 & 63);
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
        while (open) {
            deflater.reset();
            deflater.setInput(text);
            deflater.finish();
            while (!deflater.finished()) deflater.deflate(packed);
        }
        deflater.end();
    }

    /** The JVM makes arrays of arrays, and clears them, in functions of its own, which compiled code calls. */
    private static int allocate() {
        return new byte[20][20_000].length;
    }

    public static void main(String[] args) throws Exception {
        long[] used = new long[3];
        Thread worker = new Thread(() -> {
            // Loaded late, as libraries are that a program needs now and then. Stretches of many lengths keep no step with a clock.
            System.load(args[0]);
            for (int seed = 1; open; ) seed = both(seed, 200_000 + (seed >>> 14), used);
        }, "worker");
        Thread packer = new Thread(NativeWork::pack, "packer");
        Thread allocator = new Thread(() -> {
            while (open) allocate();
        }, "allocator");
        worker.start();
        allocator.start();
        packer.start();
        System.out.println("ready");
        while (System.in.read() >= 0) continue;
        open = false;
        worker.join();
        packer.join();
        allocator.join();
        System.out.println("used " + used[0] + " " + used[1] + " " + used[2]);
    }
}
