import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;

/** The parts whose classes come and go. */
final class Classes {
    private Classes() {}

    /** Loads the same small class again and again, each time by a loader of its own. */
    static void load() {
        byte[] bytes = bytesOf("Loaded");
        Truth.start("loader", log -> {
            long begin = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                Method method = new Fresh("Loaded", bytes).loadClass("Loaded").getMethod("touch");
                Truth.sink += (int) method.invoke(null);
            }
            log.lines.add(new Object[] {"classes", log.thread, begin, System.nanoTime(), 10});
            Truth.pause(30);
        });
    }

    /** Loads class after class, each of which makes objects of its own and goes soon, so that another may lie in its place. */
    static void replace() {
        byte[] bytes = bytesOf("Passing000");
        int[] number = {0};
        Truth.start("replacing", log -> {
            String name = String.format("Passing%03d", ++number[0] % 1000);
            new Fresh(name, renamed(bytes, "Passing000", name)).loadClass(name).getMethod("make").invoke(null);
            Truth.pause(20);
            if (number[0] % 10 == 0) System.gc();
        });
    }

    /** A class file with another name in the place of one as long. */
    private static byte[] renamed(byte[] classFile, String from, String to) {
        return new String(classFile, StandardCharsets.ISO_8859_1).replace(from, to).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** A method that is nearly all work of its caller's, and inlined there: compiled anew again and again. */
    static void inline() {
        byte[] bytes = bytesOf("Inlined");
        Truth.start("inlining", log -> {
            Method method = new Fresh("Inlined", bytes).loadClass("Inlined").getMethod("outer", long.class);
            Truth.sink += (int) method.invoke(null, System.nanoTime() + 200_000_000);
        });
    }

    private static byte[] bytesOf(String type) {
        try (InputStream in = Classes.class.getResourceAsStream("/" + type + ".class")) {
            return in.readAllBytes();
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    static final class Fresh extends ClassLoader {
        private final String own;
        private final byte[] bytes;

        Fresh(String own, byte[] bytes) {
            super(Classes.class.getClassLoader());
            this.own = own;
            this.bytes = bytes;
        }

        @Override
        public Class<?> loadClass(String name) throws ClassNotFoundException {
            return name.equals(own) ? defineClass(name, bytes, 0, bytes.length) : super.loadClass(name);
        }
    }
}
