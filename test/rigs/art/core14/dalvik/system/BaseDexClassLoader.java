package dalvik.system;

public class BaseDexClassLoader extends ClassLoader {

    private final DexPathList pathList;
    protected final ClassLoader[] sharedLibraryLoaders = null;
    protected final ClassLoader[] sharedLibraryLoadersAfter = null;

    public BaseDexClassLoader(String path, ClassLoader p) {
        super(p);
        pathList = new DexPathList(this, path);
    }

    /** The rig's own: what to close once the loader is gone, {@link DexFile#closeDexFile}. */
    public final Object[] cookies() {
        Object[] cookies = new Object[pathList.dexElements.length];
        for (int i = 0; i < cookies.length; i++) cookies[i] = pathList.dexElements[i].dexFile.cookie();
        return cookies;
    }

    public String getLdLibraryPath() {
        return "";
    }

    protected Class<?> findClass(String n) throws ClassNotFoundException {
        for (int i = 0; i < pathList.dexElements.length; i++) {
            DexFile d = pathList.dexElements[i].dexFile;
            Class<?> c = DexFile.define(n, this, d);
            if (c != null) return c;
        }
        throw new ClassNotFoundException(n, null);
    }

    public native String[] computeClassLoaderContextsNative();
}
