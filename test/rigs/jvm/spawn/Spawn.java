/**
 * Has native code create threads, from the first byte on its standard input to the end of it: only then it loads the library, its argument.
 * Of each two the first, "outer", creates the second, "inner". Prints at its end "spawned COUNT": how many of each.
 */
public final class Spawn {
    private static volatile boolean open = true;
    private static int count;

    /** Returns when both threads have ended. */
    private static native void spawn();

    private static void spawnAll() {
        while (open) {
            spawn(); // spawns
            count++;
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        if (System.in.read() < 0) return;
        Thread spawner = new Thread(() -> {
            System.load(args[0]);
            spawnAll();
        }, "spawner");
        spawner.start();
        while (System.in.read() >= 0) continue;
        open = false;
        spawner.join();
        System.out.println("spawned " + count);
    }
}
