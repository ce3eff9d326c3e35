package java.lang;

import java.util.ArrayList;

public class ThreadGroup {

    static final ThreadGroup systemThreadGroup = new ThreadGroup("system", null);
    static final ThreadGroup mainThreadGroup = new ThreadGroup("main", systemThreadGroup);
    private ThreadGroup[] groups = new ThreadGroup[4];
    private int ngroups;
    private String name;
    private ThreadGroup parent;
    private int nthreads;
    private final ArrayList<Thread> threads = new ArrayList<Thread>();

    ThreadGroup(String n, ThreadGroup p) {
        name = n;
        parent = p;
        if (p != null) p.groups[p.ngroups++] = this;
    }

    public final ThreadGroup getParent() {
        return parent;
    }

    void add(Thread t) {
        synchronized (this) {
            threads.add(t);
            nthreads++;
        }
    }

    void threadTerminated(Thread t) {
        synchronized (this) {
            for (int i = 0; i < threads.size(); i++) {
                if (threads.get(i) != t) continue;
                threads.remove(i);
                break;
            }
            nthreads--;
            notifyAll();
        }
    }

    public int activeCount() {
        int count;
        synchronized (this) {
            count = nthreads;
        }
        for (int i = 0; i < ngroups; i++) count += groups[i].activeCount();
        return count;
    }

    /** Copies the threads of this group and the groups in it, as many as there is room for; returns how many. */
    public int enumerate(Thread[] to) {
        return enumerate(to, 0);
    }

    private int enumerate(Thread[] to, int at) {
        synchronized (this) {
            for (int i = 0; i < threads.size() && at < to.length; i++) to[at++] = threads.get(i);
        }
        for (int i = 0; i < ngroups; i++) at = groups[i].enumerate(to, at);
        return at;
    }
}
