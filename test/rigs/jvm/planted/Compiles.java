import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;

/** The main thread runs code of classes that are loaded anew each time, and so compiled anew. */
final class Compiles implements Cause {
    private byte[] file;

    @Override
    public void prepare() throws IOException {
        try (InputStream in = Compiles.class.getResourceAsStream("Work.class")) {
            file = in.readAllBytes();
        }
    }

    @Override
    public void step(int ms) throws Exception {
        Class<?> script = new Scripts(file).findClass("Work");
        Method run = script.getDeclaredMethod("mixed", int.class);
        run.setAccessible(true);
        run.invoke(null, ms);
    }

    private static final class Scripts extends ClassLoader {
        private final byte[] file;

        Scripts(byte[] file) {
            super(Compiles.class.getClassLoader());
            this.file = file;
        }

        @Override
        protected Class<?> findClass(String name) {
            return defineClass(name, file, 0, file.length);
        }
    }
}
