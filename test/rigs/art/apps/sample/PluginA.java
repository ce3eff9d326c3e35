package sample;

/** What Plugins loads. */
public final class PluginA implements PluginWork {

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
