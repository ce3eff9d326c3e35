package sample;

/** As PluginA, so that it takes the same room. */
public final class PluginB implements PluginWork {

    static final class Piece {

        int part;
    }

    static volatile Object sink;

    public void run() {
        for (int i = 0; i < 400; i++) {
            work();
            sink = new Piece();
        }
    }
}
