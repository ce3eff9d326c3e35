package java.util.concurrent.locks;

public interface Condition {
    void await() throws InterruptedException;

    /** Returns what was left of the time, not above zero when it ran out. */
    long awaitNanos(long nanos) throws InterruptedException;

    void signal();
    void signalAll();
}
