package btrace;

/**
 * Records the program that calls it, with BTrace's agent as a library of its own: for apps that are not debuggable, and for recordings
 * that begin and end where the program says. Nothing here throws: what cannot be done returns false, and problem() says why.
 */
public final class BTrace {

    private static final long SYNC_INTERVAL_NS = 1000000;
    private static final long ASYNC_INTERVAL_NS = 10000000;
    private static final long MEMORY_BYTES = 32L << 20;
    private static final long MOST_BYTES = 256L << 20;

    private static volatile boolean loaded;
    private static String problem = "";

    private BTrace() {}

    /** Records everything into a new file, which replaces one that is there; ends by itself when it has 256 MB. */
    public static boolean start(String file) {
        return start(file, 0, MOST_BYTES);
    }

    /**
     * Keeps the samples of the last seconds in memory, for dump(), and what came until the last 300 ms in the file as well, in 8 MiB of it:
     * so it is there when the program is killed. At stop() the file has what is kept then.
     */
    public static boolean startRing(String file, int seconds) {
        return start(file, Math.max(seconds, 1) * 1000000000L, MOST_BYTES);
    }

    /** The same with a bound on the file of one's own. */
    public static synchronized boolean start(String file, long ringNs, long mostBytes) {
        return (
            load() &&
            done(nativeStart(file, SYNC_INTERVAL_NS, ASYNC_INTERVAL_NS, MEMORY_BYTES, ringNs, mostBytes))
        );
    }

    /** Ends the recording, if there is one, and returns when its file is whole. */
    public static synchronized boolean stop() {
        return !loaded || done(nativeStop());
    }

    /** Writes what a ring holds to a file of its own, and goes on. */
    public static synchronized boolean dump(String file) {
        return load() && done(nativeDump(file, 0));
    }

    /** Says something at this moment of this thread: it stands in the timeline. Costs next to nothing while nothing is recorded. */
    public static void marker(String text) {
        if (loaded) nativeMarker(text);
    }

    /**
     * Tells how much there is now of something, by a name of the program's own: it is drawn over time, and with each value stands the stack
     * that told it. A value below 0 counts as 0. Costs as much as a marker: a walk of the stack.
     */
    public static void counter(String name, long value) {
        if (loaded) nativeCounter(name, value);
    }

    public static boolean isRecording() {
        return loaded && nativeIsRecording();
    }

    /**
     * Lets a desktop that has started this app record it: `btrace record --app PACKAGE --from-launch`. To be called first in
     * Application.onCreate(); returns at once where no desktop waits.
     */
    public static synchronized boolean recordFromLaunch() {
        return load() && done(nativeAnswerDesktop());
    }

    /** Why the last call that returned false did. */
    public static synchronized String problem() {
        return problem;
    }

    /** Loads the library from this file, where it is not among the program's own. */
    public static synchronized boolean loadFrom(String file) {
        return loaded || loadLibrary(file);
    }

    static synchronized boolean load() {
        return loaded || loadLibrary(null);
    }

    private static boolean loadLibrary(String file) {
        try {
            if (file == null) System.loadLibrary("btrace-agent");
            else System.load(file);
            loaded = true;
        } catch (Throwable e) {
            problem = "the library libbtrace-agent.so was not loaded: " + e;
        }
        return loaded;
    }

    static synchronized boolean done(int result) {
        if (result != 0) problem = words(result);
        return result == 0;
    }

    /** StartResult and OwnResult of the library. */
    private static String words(int result) {
        switch (result) {
            case 201:
                return "a desktop waits for this app, but what it left in the properties is not whole";
            case 202:
                return "a recording is being made already";
            case 203:
                return "the agent's socket could not be opened";
            case 205:
                return "no thread could be started";
            case 206:
                return "this is neither the Android Runtime nor HotSpot 17 or newer";
            case 301:
                return "the file could not be made";
            case 302:
                return "the file could not be written: see that there is room";
            case 303:
                return "nothing is recorded";
            case 304:
                return "only a recording that keeps a ring can be dumped: startRing()";
            case 305:
                return "the agent did not end in time";
            case 306:
                return "the agent broke the recording off; what its file has until there is whole";
            case 401:
                return "lags are watched already";
            case 402:
                return "the folder cannot be written";
            default:
                return "the agent refused: " + result;
        }
    }

    private static native int nativeStart(
        String file,
        long syncIntervalNs,
        long asyncIntervalNs,
        long memoryBytes,
        long ringNs,
        long mostBytes
    );

    private static native int nativeStop();

    private static native int nativeDump(String file, long backNs);

    private static native boolean nativeIsRecording();

    private static native int nativeAnswerDesktop();

    private static native void nativeMarker(String text);

    private static native void nativeCounter(String name, long value);
}
