package sample;

import android.app.Application;
import android.os.Handler;
import android.os.Looper;

/**
 * An app whose work is known. It works in rounds, each one message on the main thread; first argument: how many rounds, 0 without
 * end. What happened is printed as it was measured from inside, one fact a line: `truth NAME key=value …`, times in ns of the
 * monotonic clock.
 */
abstract class Sample extends Application {

    private Handler main;
    private int round;

    abstract void round(int round) throws Exception;

    /** After the last round, before the app ends. */
    void end() throws Exception {}

    public void onStart() {
        main = new Handler(Looper.getMainLooper());
        System.out.println("started " + getClass().getName());
        main.post(new NextRound());
    }

    private final class NextRound implements Runnable {

        public void run() {
            int rounds = argument(0, 1);
            try {
                if (rounds == 0 || round < rounds) {
                    round(round++);
                    main.post(this);
                } else {
                    end();
                    finish();
                }
            } catch (Exception e) {
                e.printStackTrace();
                System.exit(1);
            }
        }
    }
}
