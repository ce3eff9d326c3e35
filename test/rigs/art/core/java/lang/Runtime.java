package java.lang;

import dalvik.system.VMRuntime;

public class Runtime {

    private static final Runtime it = new Runtime();

    public static Runtime getRuntime() {
        return it;
    }

    public void exit(int status) {
        nativeExit(status);
    }

    private static native void nativeExit(int status);

    static native String nativeLoad(String f, ClassLoader l, Class<?> caller);

    /** Apps are killed: nothing is run. */
    public void addShutdownHook(Thread hook) {}

    public void gc() {
        VMRuntime.getRuntime().concurrentGC();
    }
}
