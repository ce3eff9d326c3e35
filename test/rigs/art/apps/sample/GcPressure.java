package sample;

import java.util.ArrayList;

/** Keeps 16 MB alive and replaces it again and again, with a collection asked for each round. */
public final class GcPressure extends Sample {

    private ArrayList<byte[]> kept = new ArrayList<byte[]>();

    void round(int round) {
        ArrayList<byte[]> fresh = new ArrayList<byte[]>();
        for (int i = 0; i < 1024; i++) fresh.add(new byte[16 << 10]);
        kept = fresh;
        System.gc();
        new Truth("gc").with("bytes", 16 << 20).with("kept", kept.size()).tell();
    }
}
