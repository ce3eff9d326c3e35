package sample;

/** As PluginA, so that it takes the same room. */
public final class PluginB implements Runnable {

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
