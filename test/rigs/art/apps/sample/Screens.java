package sample;

/**
 * An app with one screen. The CPU time of a start says what was made anew: the process (40 ms), its screen (20 ms), or
 * nothing (10 ms to show it again). Arguments: none.
 */
public final class Screens extends android.app.Application {

    public void onCreate() {
        loadSettings();
    }

    public void onStart() {
        inflate();
        onResume();
    }

    public void onResume() {
        refresh();
        System.out.println("displayed");
    }

    private void loadSettings() {
        Cpu.burn(40000);
    }

    private void inflate() {
        Cpu.burn(20000);
    }

    private void refresh() {
        Cpu.burn(10000);
    }
}
