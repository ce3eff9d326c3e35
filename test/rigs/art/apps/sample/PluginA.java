package sample;

/** What Plugins loads. */
public final class PluginA implements Runnable {

    static final class Piece {

        int part;
    }

    static volatile Object sink;

    public void run() {
        for (int i = 0; i < 20; i++) {
            Cpu.burnQuietly(1000);
            sink = new Piece();
        }
    }
}
