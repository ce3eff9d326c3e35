package sample;

import android.os.SystemClock;

/** 3000 calls of methods that last 10 or 40 µs, shorter than any interval: twice as many calls of the shorter one. */
public final class ShortMethods extends Sample {

    void round(int round) {
        long cpu = SystemClock.currentThreadCpuNanos();
        for (int i = 0; i < 1000; i++) {
            parse();
            parse();
            render();
        }
        new Truth("short")
            .with("parse", 2000)
            .with("render", 1000)
            .with("cpu", SystemClock.currentThreadCpuNanos() - cpu)
            .tell();
    }

    private void parse() {
        Cpu.burn(10);
    }

    private void render() {
        Cpu.burn(40);
    }
}
