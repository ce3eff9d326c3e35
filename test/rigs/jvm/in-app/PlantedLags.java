import btrace.BTrace;
import btrace.LagWatch;
import java.util.concurrent.CountDownLatch;
import sample.Hang;

/** Every second message of a worker hangs, as Hang has it. Arguments: the agent's library, a folder, how many messages. A lag is longer than 400 ms. */
public final class PlantedLags {

    public static void main(String[] arguments) throws Exception {
        if (!BTrace.loadFrom(arguments[0])) throw new IllegalStateException(BTrace.problem());
        LagWatch watch = new LagWatch(arguments[1])
            .threads("worker")
            .messageMs(400)
            .lookMs(50)
            .stackMs(10)
            .filesADay(10000)
            .cpuPercent(0);
        if (!watch.start(null)) throw new IllegalStateException(BTrace.problem());
        Worker worker = new Worker();
        worker.start();
        Hang hang = new Hang();
        // To print takes time of a message, which its line could not tell.
        StringBuilder told = new StringBuilder();
        for (int i = 0, messages = Integer.parseInt(arguments[2]); i < messages; i++) {
            // On a busy machine it may not wait yet: then the next message would be a part of the last one.
            while (worker.getState() != Thread.State.WAITING) Thread.sleep(1);
            // The watch meets the thread before the first one. Later a wait must be as long as one that is seen.
            Thread.sleep(i == 0 ? 500 : 20);
            CountDownLatch done = new CountDownLatch(1);
            boolean hangs = i % 2 == 1;
            worker.post(() -> {
                try {
                    told.append(hangs ? hang.longMessage() : hang.shortMessage()).append('\n');
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                } finally {
                    done.countDown();
                }
            });
            done.await();
        }
        Thread.sleep(400);
        System.out.println(told);
        System.out.println("truth watched lags=" + LagWatch.lags());
        LagWatch.stop();
    }
}
