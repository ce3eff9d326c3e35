package sample;

import android.os.SystemClock;

/** 3000 calls of methods that last 10 or 40 µs, shorter than any interval: twice as many calls of the shorter one. */
public final class ShortMethods extends Sample {

    void round(int round) {
        long parsing = 0;
        long rendering = 0;
        for (int i = 0; i < 1000; i++) {
            long began = SystemClock.currentThreadCpuNanos();
            parse();
            parse();
            long parsed = SystemClock.currentThreadCpuNanos();
            render();
            parsing += parsed - began;
            rendering += SystemClock.currentThreadCpuNanos() - parsed;
        }
        new Truth("short").with("parse", parsing).with("render", rendering).tell();
    }

    private void parse() {
        Cpu.burn(10);
    }

    private void render() {
        Cpu.burn(40);
    }
}
