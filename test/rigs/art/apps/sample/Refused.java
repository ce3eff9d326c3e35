package sample;

/** Loads a library that throws, again and again: each time by another path, for one that is known is not asked again. */
public final class Refused extends Sample {

    private String folder = "./";

    void round(int round) throws Exception {
        folder += "./";
        try {
            System.load(folder + "librefuses.so");
        } catch (IllegalStateException e) {
            new Truth("refused").with("why", "thrown").tell();
        }
        Thread.sleep(10);
    }
}
