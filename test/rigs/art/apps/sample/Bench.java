package sample;

import android.os.SystemClock;
import dalvik.annotation.optimization.FastNative;

/** Runs the measurements of native-agent/bench/art_bench.cc. Arguments: rounds, its library, its turns. */
public final class Bench extends Sample {

    private static final int OBJECTS = 20000;

    static volatile Object sink;

    private static native void prepare();

    /** How deep the stack is here. */
    @FastNative
    private static native int depth();

    @FastNative
    private static native void walks(int turns);

    /** 0: nobody listens to allocations, 1: a listener that does nothing, 2: the agent's, its gate closed. */
    private static native void listen(int whom);

    private static native void report(int whom, long nanos, int objects);

    public void onCreate() {
        System.load(text(1));
        prepare();
    }

    void round(int round) {
        int turns = argument(2, 100);
        descend(26, turns);
        for (int turn = 0; turn < turns; turn++)
            for (int whom = 0; whom < 3; whom++) {
                listen(whom);
                long began = SystemClock.currentThreadCpuNanos();
                for (int i = 0; i < OBJECTS; i++) sink = new Storm.Droplet();
                report(whom, SystemClock.currentThreadCpuNanos() - began, OBJECTS);
            }
        listen(0);
    }

    private void descend(int depth, int turns) {
        if (depth() < depth) descend(depth, turns);
        else walks(turns);
    }

    void end() {
        report(-1, 0, 0);
    }
}
