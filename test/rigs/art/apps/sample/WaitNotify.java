package sample;

/** Main waits on a mailbox; the thread "poster" notifies it after 20 ms of work. */
public final class WaitNotify extends Sample {

    private static final class Mailbox {

        private Object letter;

        synchronized void put(Object letter) {
            this.letter = letter;
            notifyAll();
        }

        synchronized Object take() throws InterruptedException {
            while (letter == null) wait();
            Object taken = letter;
            letter = null;
            return taken;
        }
    }

    private final Mailbox mailbox = new Mailbox();
    static int posterTid;
    static long notified;

    private final class Poster implements Runnable {

        public void run() {
            posterTid = Thread.currentThread().getNativeTid();
            Cpu.burn(20000);
            notified = System.nanoTime();
            mailbox.put("letter");
        }
    }

    void round(int round) throws Exception {
        Thread poster = new Thread(new Poster(), "poster");
        poster.start();
        long began = System.nanoTime();
        mailbox.take();
        long ended = System.nanoTime();
        poster.join();
        new Truth("wait")
            .with("waker", posterTid)
            .with("begin", began)
            .with("notified", notified)
            .with("end", ended)
            .tell();
    }
}
