package sample;

import android.os.SystemClock;

/** Uses up CPU time of the calling thread, measured by its own clock: a busy machine makes it last longer, not work more. */
final class Cpu {

    static volatile Object sink;

    /** Allocates now and then, as most code does. */
    static void burn(int micros) {
        long until = SystemClock.currentThreadCpuNanos() + micros * 1000L;
        do sink = mix(); while (SystemClock.currentThreadCpuNanos() < until);
    }

    /** Without one allocation. */
    static void burnQuietly(int micros) {
        long until = SystemClock.currentThreadCpuNanos() + micros * 1000L;
        do turn(200); while (SystemClock.currentThreadCpuNanos() < until);
    }

    private static Object mix() {
        return new byte[16 + (turn(200) & 7)];
    }

    private static int turn(int times) {
        int value = times;
        for (int i = 0; i < times; i++) value = value * 31 + i;
        return value;
    }
}
