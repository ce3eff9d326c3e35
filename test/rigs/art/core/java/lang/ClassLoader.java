package java.lang;

import dalvik.system.PathClassLoader;
import dalvik.system.VMRuntime;
import java.util.HashMap;
import java.util.Map;

public abstract class ClassLoader {

    private transient long allocator;
    private transient long classTable;
    private final HashMap<String, Object> packages = null;
    private final ClassLoader parent;
    public final Map<Object, Object> proxyCache = null;

    private static final class Sys {

        static final ClassLoader it = make();

        static ClassLoader make() {
            String cp = VMRuntime.getRuntime().classPath();
            return new PathClassLoader(cp, BootClassLoader.getInstance());
        }
    }

    protected ClassLoader(ClassLoader p) {
        parent = p;
    }

    protected ClassLoader() {
        this(getSystemClassLoader());
    }

    public static ClassLoader getSystemClassLoader() {
        return Sys.it;
    }

    public final ClassLoader getParent() {
        return parent;
    }

    public Class<?> loadClass(String n) throws ClassNotFoundException {
        return loadClass(n, false);
    }

    protected Class<?> loadClass(String n, boolean r) throws ClassNotFoundException {
        Class<?> c = findLoadedClass(n);
        if (c == null && parent != null) {
            try {
                c = parent.loadClass(n);
            } catch (ClassNotFoundException e) {}
        }
        return c != null ? c : findClass(n);
    }

    protected Class<?> findClass(String n) throws ClassNotFoundException {
        throw new ClassNotFoundException(n, null);
    }

    protected final Class<?> findLoadedClass(String n) {
        return VMClassLoader.findLoadedClass(this, n);
    }
}
