import java.util.ArrayDeque;

/** The main thread makes so many objects that collections hold it up. */
final class Garbage implements Cause {
    /** So many are alive that each collection has something to do. */
    private final ArrayDeque<Object[]> history = new ArrayDeque<>();

    @Override
    public void step(int ms) {
        long end = System.nanoTime() + ms * 1_000_000L;
        while (System.nanoTime() < end) remember();
    }

    private void remember() {
        Object[] chain = null;
        for (int at = 0; at < 2000; at++) chain = new Object[] {chain, at};
        history.add(chain);
        if (history.size() > 150) history.removeFirst();
    }
}
