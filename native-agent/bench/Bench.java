/** Stands at a given depth and lets the agent's own capture path run there. The numbers are taken in native code. */
public final class Bench {
    private static native void load(boolean quick);
    private static native void capture(int depth, boolean quick);

    public static void main(String[] arguments) {
        System.load(arguments[0]);
        boolean quick = arguments.length > 1 && arguments[1].equals("--quick");
        load(quick);
        for (int depth : new int[] {20, 40, 80}) {
            // Deep enough and often enough for the compiler to have seen it.
            for (int warm = 0; warm < 20_000; warm++) dive(depth, null);
            dive(depth, () -> capture(depth, quick));
        }
    }

    private static int dive(int left, Runnable then) {
        if (left > 4) return dive(left - 1, then) + 1;
        if (then != null) then.run();
        return 0;
    }
}
