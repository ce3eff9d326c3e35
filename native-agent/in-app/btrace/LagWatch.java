package btrace;

/**
 * Watches for moments in which the program hangs, in production: docs/LAGS.md. Each lag becomes a small recording in a folder of the program's
 * own, which is handed to a receiver. Nothing is sent anywhere, and nothing here throws: what cannot be done returns false, and BTrace.problem()
 * says why.
 */
public final class LagWatch {

    /** How the last run of the program ended, as far as the system and the program's own signs tell. */
    public static final int END_UNKNOWN = 0;
    public static final int END_OWN_EXIT = 1;
    public static final int END_CRASH = 2;
    public static final int END_APP_UPDATE = 3;
    public static final int END_SYSTEM_UPDATE = 4;
    public static final int END_RESTART = 5;
    public static final int END_KILLED_IN_FRONT = 6;
    public static final int END_KILLED_BEHIND = 7;
    /** Killed while it hung: that lag's file is marked, its name ends in .freeze.btrace. */
    public static final int END_FREEZE = 8;

    /** Is called on a thread of the watch's own, once for each file. What it throws is left out. */
    public interface Receiver {
        void lag(String file);
    }

    private static final long WAIT_MS = 10000;

    private final String folder;
    private String threads = "main";
    private String version = "";
    private String device = "";
    private String user = "";
    private long messageMs = 2000;
    private long cpuPercent = 80;
    private long lookMs = 1000;
    private long stackMs = 50;
    private long permille = 50;
    private long filesADay = 20;
    private long keepDays = 7;
    private boolean always;
    private long secondsKept = 10;

    /** The folder is the program's own, is there, and belongs to one process. */
    public LagWatch(String folder) {
        this.folder = folder;
    }

    /**
     * Names with commas between; a * at the end stands for any rest. "main" is the main thread: on Android the main looper. The kernel keeps 15
     * bytes of a name, more are not compared. AWT's and JavaFX's event threads are always watched.
     */
    public LagWatch threads(String names) {
        threads = names;
        return this;
    }

    /** Of the program: it stands in each file, and a change of it is seen as an update. */
    public LagWatch version(String name) {
        version = name;
        return this;
    }

    /** Such as "low-end": it stands in each file. */
    public LagWatch device(String deviceClass) {
        device = deviceClass;
        return this;
    }

    /** What tells this installation from others. Only a hash of it is kept; by that it is drawn, for a day. Without one, all write files. */
    public LagWatch user(String id) {
        user = id;
        return this;
    }

    /** Of 1000 users with an id, so many write files each day; 50 unless said otherwise. */
    public LagWatch share(int permille) {
        this.permille = permille;
        return this;
    }

    /** This user writes files every day: for testers, and for who has complained. */
    public LagWatch always(boolean yes) {
        always = yes;
        return this;
    }

    /** A message that runs longer is a lag; 2000 unless said otherwise. */
    public LagWatch messageMs(long ms) {
        messageMs = ms;
        return this;
    }

    /** Of one processor: more in two looks in a row is a lag; 80 unless said otherwise, 0 for never. */
    public LagWatch cpuPercent(int percent) {
        cpuPercent = percent;
        return this;
    }

    /** Between two looks; 1000 unless said otherwise. */
    public LagWatch lookMs(long ms) {
        lookMs = ms;
        return this;
    }

    /** Between two stacks of a watched thread; 50 unless said otherwise, 0 for none. */
    public LagWatch stackMs(long ms) {
        stackMs = ms;
        return this;
    }

    /** How much of what came before a lag its file has; 10 unless said otherwise. */
    public LagWatch secondsKept(int seconds) {
        secondsKept = seconds;
        return this;
    }

    /** 20 unless said otherwise. */
    public LagWatch filesADay(int files) {
        filesADay = files;
        return this;
    }

    /** 7 unless said otherwise. */
    public LagWatch keepDays(int days) {
        keepDays = days;
        return this;
    }

    /** Begins to watch. No other recording of the library can be made meanwhile. `receiver` may be null: the files lie in the folder. */
    public boolean start(final Receiver receiver) {
        synchronized (LagWatch.class) {
            final boolean drawn = always || user.length() > 0;
            if (!BTrace.load() || !BTrace.done(nativeWatch(texts(), numbers(drawn)))) return false;
            tellExit();
        }
        Thread thread = new Thread("btrace lag files") {
            public void run() {
                for (String file; (file = nativeNext(WAIT_MS)) != null;) {
                    if (file.length() > 0 && receiver != null) hand(receiver, file);
                }
            }
        };
        thread.setDaemon(true);
        thread.start();
        return true;
    }

    /** Ends the watch. */
    public static synchronized boolean stop() {
        return BTrace.load() && BTrace.done(nativeStop(false));
    }

    /** To be called by what the program does with an uncaught exception, or at the next start by who reads crash reports. */
    public static void crashed() {
        if (BTrace.load()) nativeCrashed();
    }

    /** Whether the program is before the user. It is until this says otherwise. */
    public static void inFront(boolean yes) {
        if (BTrace.load()) nativeInFront(yes);
    }

    /** One of END_…, from start() on. */
    public static int lastEnd() {
        return BTrace.load() ? nativeLastEnd() : END_UNKNOWN;
    }

    /** The system knows better, as Android's ApplicationExitInfo does: one of END_…. A file is marked, or its mark taken away. */
    public static void correctLastEnd(int end) {
        if (BTrace.load()) nativeCorrectLastEnd(end);
    }

    /** How many lags were found since the library was loaded, written or not. */
    public static long lags() {
        return BTrace.load() ? nativeLags() : 0;
    }

    private String[] texts() {
        return new String[] { folder, threads, version, device, user };
    }

    /** in_app.cc reads them in this order. */
    private long[] numbers(boolean drawn) {
        return new long[] {
            messageMs,
            cpuPercent,
            lookMs,
            stackMs,
            drawn ? permille : 1000,
            filesADay,
            keepDays,
            always ? 1 : 0,
            secondsKept * 1000,
        };
    }

    private static void hand(Receiver receiver, String file) {
        try {
            receiver.lag(file);
        } catch (Throwable ignored) {
            // The program's own concern: the watch goes on.
        }
    }

    private static boolean exitIsTold;

    /** A program that ends by its own will says so. */
    private static void tellExit() {
        if (exitIsTold) return;
        exitIsTold = true;
        try {
            Runtime.getRuntime().addShutdownHook(
                new Thread("btrace lag exit") {
                    public void run() {
                        nativeStop(true);
                    }
                }
            );
        } catch (Throwable ignored) {
            // The program is ending already.
        }
    }

    private static native int nativeWatch(String[] texts, long[] numbers);

    private static native int nativeStop(boolean isExit);

    private static native String nativeNext(long waitMs);

    private static native void nativeCrashed();

    private static native void nativeInFront(boolean yes);

    private static native int nativeLastEnd();

    private static native void nativeCorrectLastEnd(int end);

    private static native long nativeLags();
}
