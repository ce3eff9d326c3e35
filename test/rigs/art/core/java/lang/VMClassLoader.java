package java.lang;

import dalvik.annotation.optimization.FastNative;

class VMClassLoader {

    @FastNative
    static native Class<?> findLoadedClass(ClassLoader l, String n);

    public static native String[] getBootClassPathEntries();
}
