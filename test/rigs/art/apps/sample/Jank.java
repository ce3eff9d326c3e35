package sample;

import android.os.SystemClock;

/** Frames of 4 ms; every tenth binds a feed and takes 44 ms. A round is one frame. */
public final class Jank extends Sample {

    void round(int round) throws Exception {
        long began = System.nanoTime();
        long cpu = SystemClock.currentThreadCpuNanos();
        doFrame(round % 10 == 9);
        new Truth("frame")
            .with("slow", round % 10 == 9 ? 1 : 0)
            .with("begin", began)
            .with("end", System.nanoTime())
            .with("cpu", SystemClock.currentThreadCpuNanos() - cpu)
            .tell();
        Thread.sleep(12);
    }

    private void doFrame(boolean slow) {
        Cpu.burn(4000);
        if (slow) bindFeed();
    }

    private void bindFeed() {
        for (int row = 0; row < 8; row++) decodeRow();
    }

    private void decodeRow() {
        Cpu.burn(5000);
    }
}
