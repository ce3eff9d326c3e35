package sample;

/** Allocates at the bottom of a recursion. Arguments: rounds, depth (1000). */
public final class DeepStacks extends Sample {

    void round(int round) {
        int depth = argument(1, 1000);
        descend(depth);
        new Truth("depth").with("frames", depth).tell();
    }

    private int descend(int left) {
        if (left > 1) return descend(left - 1) + 1;
        Cpu.burn(5000);
        return 1;
    }
}
