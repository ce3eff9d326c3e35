package sample;

import dalvik.system.DexFile;
import dalvik.system.PathClassLoader;

/**
 * Loads one of two classes, sixteen times each in turns, lets it work and forgets it, so that the next one may lie where it lay. Arguments: rounds, the
 * dex file of the one, its name, the same of the other.
 */
public final class Plugins extends Sample {

    void round(int round) throws Exception {
        int which = 1 + ((round / 16) % 2) * 2;
        Object[] files = use(text(which), text(which + 1));
        System.gc();
        for (int i = 0; i < files.length; i++) DexFile.closeDexFile(files[i]);
        new Truth("plugin").with("name", text(which + 1)).tell();
    }

    /** By itself, so that nothing in the caller's frame holds the loader. What is to be closed. */
    private static Object[] use(String path, String name) throws Exception {
        PathClassLoader loader = new PathClassLoader(path, Object.class.getClassLoader());
        ((Runnable) loader.loadClass(name).newInstance()).run();
        return loader.cookies();
    }
}
