package sample;

/** Recurses until the stack is full, again and again, and allocates on the way down. Arguments: rounds. */
public final class Overflow extends Sample {

    private Object last;

    void round(int round) {
        int caught = 0;
        for (int i = 0; i < 20; i++) {
            try {
                descend(0);
            } catch (StackOverflowError expected) {
                caught++;
            }
        }
        new Truth("overflow").with("caught", caught).tell();
    }

    private int descend(int depth) {
        last = new int[4];
        return descend(depth + 1) + 1;
    }
}
