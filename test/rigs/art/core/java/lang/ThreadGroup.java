package java.lang;

public class ThreadGroup {

    static final ThreadGroup systemThreadGroup = new ThreadGroup("system", null);
    static final ThreadGroup mainThreadGroup = new ThreadGroup("main", systemThreadGroup);
    private ThreadGroup[] groups = new ThreadGroup[4];
    private int ngroups;
    private String name;
    private ThreadGroup parent;
    private int nthreads;

    ThreadGroup(String n, ThreadGroup p) {
        name = n;
        parent = p;
        if (p != null) p.groups[p.ngroups++] = this;
    }

    void add(Thread t) {
        synchronized (this) {
            nthreads++;
        }
    }

    void threadTerminated(Thread t) {
        synchronized (this) {
            nthreads--;
            notifyAll();
        }
    }

    public int activeCount() {
        synchronized (this) {
            return nthreads;
        }
    }
}
