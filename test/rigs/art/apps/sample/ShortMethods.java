package sample;

import android.os.SystemClock;

/**
 * 3000 calls of methods that last 10 or 40 µs, shorter than any interval: twice as many calls of the shorter one. "between" is what
 * the looks at the clock cost between them.
 */
public final class ShortMethods extends Sample {

    void round(int round) {
        long parsing = 0;
        long rendering = 0;
        long between = 0;
        long ended = SystemClock.currentThreadCpuNanos();
        for (int i = 0; i < 1000; i++) {
            long began = SystemClock.currentThreadCpuNanos();
            between += began - ended;
            parse();
            parse();
            long parsed = SystemClock.currentThreadCpuNanos();
            render();
            ended = SystemClock.currentThreadCpuNanos();
            parsing += parsed - began;
            rendering += ended - parsed;
        }
        new Truth("short").with("parse", parsing).with("render", rendering).with("between", between).tell();
    }

    private void parse() {
        Cpu.burn(10);
    }

    private void render() {
        Cpu.burn(40);
    }
}
