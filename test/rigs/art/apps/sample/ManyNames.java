package sample;

import dalvik.system.PathClassLoader;
import dalvik.system.VMDebug;
import dalvik.system.VMRuntime;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.function.Consumer;

/**
 * One stack of thousands of different methods, again and again. Meanwhile a thread asks the runtime to halt all others each
 * millisecond, and looks how long it waits until they stand still: as long, all that do so already are kept from running. What it
 * waits longer than the others work is the processors' part. Arguments: rounds, loaders of classes (100), each with a Link of its
 * own.
 */
public final class ManyNames extends Sample {

    private final ArrayList<Consumer<Object>> chain = new ArrayList<Consumer<Object>>();
    private final Halt halt = new Halt();

    /** Of the calling thread, since it called first: it neither ran nor was kept from it by a processor that others have. */
    private static native long waitedNanos();

    /** CPU time that all other threads have used. */
    private static native long othersCpuNanos();

    private static final class Halt extends Thread {

        private int halts;
        private long longest;

        Halt() {
            super("halt");
            setDaemon(true);
        }

        public void run() {
            try {
                for (;;) {
                    long waited = waitedNanos();
                    long worked = othersCpuNanos();
                    VMDebug.countInstancesOfClass(ManyNames.class, false);
                    note(Math.min(waitedNanos() - waited, othersCpuNanos() - worked));
                    Thread.sleep(1);
                }
            } catch (InterruptedException e) {}
        }

        private synchronized void note(long nanos) {
            halts++;
            if (nanos > longest) longest = nanos;
        }

        /** Since it was asked last. */
        synchronized Truth fact() {
            Truth fact = new Truth("halts").with("count", halts).with("longest", longest);
            longest = halts = 0;
            return fact;
        }
    }

    /** What the chain ends in. */
    private static final class Bottom implements Consumer<Object> {

        public void accept(Object rest) {
            Cpu.burn(2000);
        }
    }

    @SuppressWarnings("unchecked")
    public void onCreate() {
        System.loadLibrary("sample");
        String path = VMRuntime.getRuntime().classPath();
        try {
            for (int i = argument(1, 100); i > 0; i--) {
                ClassLoader loader = new PathClassLoader(path, Object.class.getClassLoader());
                chain.add((Consumer<Object>) loader.loadClass("sample.Link").newInstance());
            }
        } catch (Exception e) {
            throw new Error(e);
        }
        chain.add(new Bottom());
        halt.start();
    }

    void round(int round) throws Exception {
        Iterator<Consumer<Object>> links = chain.iterator();
        links.next().accept(links);
        Thread.sleep(20);
        halt.fact().tell();
    }
}
