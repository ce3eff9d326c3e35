package android.app;

/** What an app of this rig extends. The calls come as messages on the main thread, as a phone's framework sends them. */
public abstract class Application {

    private String[] arguments;

    final void attach(String[] arguments) {
        this.arguments = arguments;
    }

    /** The number that the app was started with at this place, or `otherwise`. */
    protected final int argument(int index, int otherwise) {
        return index < arguments.length ? Integer.parseInt(arguments[index]) : otherwise;
    }

    protected final String text(int index) {
        return arguments[index];
    }

    /** First message: before anything of the app is on the screen. */
    public void onCreate() throws Exception {}

    /** Second message, and whenever its screen is made anew: the app's work. When it returns, the main thread waits for messages; finish() ends the app. */
    public void onStart() throws Exception {}

    /** Its screen is there already, and comes to the front again. */
    public void onResume() throws Exception {}

    protected final void finish() {
        android.os.Looper.getMainLooper().quit();
    }
}
