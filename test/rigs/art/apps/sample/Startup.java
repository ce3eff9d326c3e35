package sample;

import android.os.Handler;
import android.os.Looper;
import android.os.SystemClock;

/** A start-up in five messages, each with known CPU time. Arguments: none. */
public final class Startup extends android.app.Application {

    private Handler main;

    public void onCreate() {
        long began = System.nanoTime();
        long cpu = SystemClock.currentThreadCpuNanos();
        initCrashReporter();
        openDatabase();
        tell("onCreate", began, cpu);
    }

    private void initCrashReporter() {
        Cpu.burn(10000);
    }

    private void openDatabase() {
        readPages();
    }

    private void readPages() {
        Cpu.burn(20000);
    }

    public void onStart() {
        main = new Handler(Looper.getMainLooper());
        main.post(new CreateActivity());
        main.post(new ResumeActivity());
        main.post(new FirstFrame());
    }

    private final class CreateActivity implements Runnable {

        public void run() {
            long began = System.nanoTime();
            long cpu = SystemClock.currentThreadCpuNanos();
            inflate(3);
            bindViews();
            tell("createActivity", began, cpu);
        }

        private void inflate(int level) {
            Cpu.burn(8000);
            if (level > 1) inflate(level - 1);
        }

        private void bindViews() {
            Cpu.burn(5000);
        }
    }

    private final class ResumeActivity implements Runnable {

        public void run() {
            long began = System.nanoTime();
            long cpu = SystemClock.currentThreadCpuNanos();
            Cpu.burn(10000);
            tell("resumeActivity", began, cpu);
        }
    }

    private final class FirstFrame implements Runnable {

        public void run() {
            long began = System.nanoTime();
            long cpu = SystemClock.currentThreadCpuNanos();
            measure();
            layout();
            draw();
            tell("firstFrame", began, cpu);
            finish();
        }

        private void measure() {
            Cpu.burn(5000);
        }

        private void layout() {
            Cpu.burn(5000);
        }

        private void draw() {
            Cpu.burn(10000);
        }
    }

    private static void tell(String message, long began, long cpu) {
        new Truth("message")
            .with("name", message)
            .with("begin", began)
            .with("end", System.nanoTime())
            .with("cpu", SystemClock.currentThreadCpuNanos() - cpu)
            .tell();
    }
}
