package sample;

/** Main waits and is notified at once, but goes on only much later: who notified it works on with the monitor in its hands. */
public final class NotifySoon extends Sample {

    private static final class Mailbox {}

    private final Mailbox mailbox = new Mailbox();
    static int posterTid;
    static long notified;

    private final class Poster implements Runnable {

        public void run() {
            posterTid = Thread.currentThread().getNativeTid();
            // Main has it until it waits.
            synchronized (mailbox) {
                notified = System.nanoTime();
                mailbox.notifyAll();
                Cpu.burn(10000);
            }
        }
    }

    void round(int round) throws Exception {
        Thread poster = new Thread(new Poster(), "poster");
        long began;
        long ended;
        synchronized (mailbox) {
            poster.start();
            began = System.nanoTime();
            mailbox.wait();
            ended = System.nanoTime();
        }
        poster.join();
        new Truth("soon")
            .with("waker", posterTid)
            .with("begin", began)
            .with("notified", notified)
            .with("end", ended)
            .tell();
    }
}
