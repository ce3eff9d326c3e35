import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** The main thread loads classes again and again, each time by a new loader. */
final class ClassLoads implements Cause {
    /** Classes that need no other class of this program. */
    private static final String[] NAMES = {"Work", "SlowServer"};
    private final List<byte[]> files = new ArrayList<>();

    @Override
    public void prepare() throws IOException {
        for (String name : NAMES)
            try (InputStream in = ClassLoads.class.getResourceAsStream(name + ".class")) {
                files.add(in.readAllBytes());
            }
    }

    @Override
    public void step(int ms) throws Exception {
        long end = System.nanoTime() + ms * 1_000_000L;
        while (System.nanoTime() < end) loadPlugins();
    }

    private void loadPlugins() throws Exception {
        Plugins plugins = new Plugins(ClassLoads.class.getClassLoader());
        for (int at = 0; at < NAMES.length; at++) Class.forName(NAMES[at], true, plugins);
    }

    private final class Plugins extends ClassLoader {
        Plugins(ClassLoader parent) {
            super(parent);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            for (int at = 0; at < NAMES.length; at++)
                if (NAMES[at].equals(name)) {
                    Class<?> known = findLoadedClass(name);
                    if (known != null) return known;
                    return defineClass(name, files.get(at), 0, files.get(at).length);
                }
            return super.loadClass(name, resolve);
        }
    }
}
