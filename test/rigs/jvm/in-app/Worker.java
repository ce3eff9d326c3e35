import java.util.concurrent.LinkedBlockingQueue;

/** The thread "worker": handles the messages of a queue one after another. */
final class Worker extends Thread {

    private final LinkedBlockingQueue<Runnable> messages = new LinkedBlockingQueue<>();

    Worker() {
        super("worker");
        setDaemon(true);
    }

    @Override
    public void run() {
        try {
            while (true) messages.take().run();
        } catch (InterruptedException ended) {
            // Nobody does.
        }
    }

    void post(Runnable message) {
        messages.add(message);
    }

    boolean hasMessages() {
        return !messages.isEmpty();
    }
}
