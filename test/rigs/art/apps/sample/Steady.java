package sample;

/** The same work again and again, about 5 ms of it in each fact: calls of small methods to some depth, and few allocations. */
public final class Steady extends Sample {

    private static final int CALLS = 150;

    static volatile Object sink;

    void round(int round) {
        int value = 0;
        for (int i = 0; i < 40; i++) {
            for (int call = 0; call < CALLS; call++) value += step(call & 15, call);
            sink = new int[value & 7];
        }
        new Truth("work").with("rounds", 1).tell();
    }

    private static int step(int left, int value) {
        return left > 0 ? step(left - 1, mix(value)) : value;
    }

    private static int mix(int value) {
        return value * 31 + 7;
    }
}
