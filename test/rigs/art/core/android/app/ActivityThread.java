package android.app;

import android.os.Handler;
import android.os.Looper;
import android.os.Message;
import dalvik.system.VMDebug;
import java.io.FileInputStream;

/** An app's main thread, and the one through which the system speaks to it: here by lines on standard input instead of binder. */
public final class ActivityThread {

    private static final int BIND_APPLICATION = 110;
    private static final int START_ACTIVITY = 111;
    private static final int RESUME_ACTIVITY = 112;
    private static final int ATTACH_AGENT = 155;
    private static final int PROFILER_CONTROL = 127;
    private static final int QUIT = 111111;

    private static final int SAMPLING_BUFFER_BYTES = 8 << 20;

    private final String[] arguments;
    private final H handler = new H();
    private Application application;

    private ActivityThread(String[] arguments) {
        this.arguments = arguments;
    }

    /** Arguments: the app's class, then what the app gets. */
    public static void main(String[] arguments) {
        Looper.prepareMainLooper();
        ActivityThread thread = new ActivityThread(arguments);
        thread.handler.sendEmptyMessage(BIND_APPLICATION);
        thread.handler.sendEmptyMessage(START_ACTIVITY);
        new SystemCalls(thread.handler).start();
        Looper.loop();
    }

    private final class H extends Handler {

        H() {
            super(Looper.getMainLooper());
        }

        public void handleMessage(Message message) {
            try {
                switch (message.what) {
                    case BIND_APPLICATION:
                        handleBindApplication();
                        break;
                    case START_ACTIVITY:
                        application.onStart();
                        break;
                    case RESUME_ACTIVITY:
                        application.onResume();
                        break;
                    case ATTACH_AGENT:
                        handleAttachAgent((String) message.obj);
                        break;
                    case PROFILER_CONTROL:
                        handleProfilerControl((String) message.obj);
                        break;
                    case QUIT:
                        Looper.getMainLooper().quit();
                        break;
                }
            } catch (Exception e) {
                e.printStackTrace();
                System.exit(1);
            }
        }
    }

    private void handleBindApplication() throws Exception {
        application = (Application) Class.forName(arguments[0]).newInstance();
        String[] own = new String[arguments.length - 1];
        System.arraycopy((Object) arguments, 1, (Object) own, 0, own.length);
        application.attach(own);
        application.onCreate();
    }

    private static void handleAttachAgent(String agent) {
        try {
            VMDebug.nativeAttachAgent(agent, ClassLoader.getSystemClassLoader());
            System.out.println("system: attached " + agent);
        } catch (Throwable e) {
            System.out.println("system: Attaching agent failed: " + agent + ": " + e.getMessage());
        }
    }

    /** "start FILE INTERVAL_US", "stop": ART's own sampling profiler, as `am profile` runs it. */
    private static void handleProfilerControl(String command) {
        if (command.equals("stop")) {
            // As Android does: what cannot be written ends the app.
            VMDebug.stopMethodTracing();
        } else {
            int space = command.lastIndexOf(' ');
            String file = command.substring("start ".length(), space);
            int intervalUs = Integer.parseInt(command.substring(space + 1));
            try {
                VMDebug.startMethodTracingFilename(file, SAMPLING_BUFFER_BYTES, 0, intervalUs > 0, intervalUs);
            } catch (RuntimeException e) {
                System.out.println("system: profile " + command + " failed: " + e.getMessage());
                return;
            }
        }
        System.out.println("system: profile " + command);
    }

    /** Reads commands, one a line, and hands each to the main thread. End of input ends the app. */
    private static final class SystemCalls extends Thread {

        private final Handler handler;

        SystemCalls(Handler handler) {
            super("Binder:1");
            this.handler = handler;
            setDaemon(true);
        }

        public void run() {
            FileInputStream input = new FileInputStream(0);
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                if (line.startsWith("attach-agent ")) send(ATTACH_AGENT, line.substring(13));
                else if (line.startsWith("profile ")) send(PROFILER_CONTROL, line.substring(8));
                else if (line.equals("start-activity")) send(START_ACTIVITY, null);
                else if (line.equals("resume-activity")) send(RESUME_ACTIVITY, null);
                else System.out.println("system: unknown command " + line);
            }
            send(QUIT, null);
        }

        private void send(int what, String argument) {
            handler.sendMessage(Message.obtain(handler, what, argument));
        }
    }
}
