/** Works in two native functions, and prints at its end what each used: "used SHUFFLE_NS SIFT_NS". Argument: the library. */
public final class NativeWork {
    private static volatile boolean open = true;

    private static native int both(int seed, int rounds, long[] used);

    public static void main(String[] args) throws Exception {
        long[] used = new long[2];
        Thread worker = new Thread(() -> {
            // Loaded late, as libraries are that a program needs now and then. Stretches of many lengths keep no step with a clock.
            System.load(args[0]);
            for (int seed = 1; open; ) seed = both(seed, 200_000 + (seed >>> 14), used);
        }, "worker");
        worker.start();
        System.out.println("ready");
        while (System.in.read() >= 0) continue;
        open = false;
        worker.join();
        System.out.println("used " + used[0] + " " + used[1]);
    }
}
