package dalvik.system;

import java.nio.ByteBuffer;

public final class DexFile {

    private Object mCookie;
    private Object mInternalCookie;
    private final String mFileName;
    public static final class OptimizationInfo {
        private final String status;
        private final String reason;
        OptimizationInfo(String s, String r) {
            status = s;
            reason = r;
        }
    }

    DexFile(String f, ClassLoader l, DexPathList.Element[] e) {
        mFileName = f;
        mCookie = openDexFileNative(f, null, 0, l, e);
        mInternalCookie = mCookie;
    }

    /** The rig's own: there are no finalizers here, which close a file on a phone once its loader is gone. */
    Object cookie() {
        return mCookie;
    }

    static Class<?> define(String n, ClassLoader l, DexFile d) throws ClassNotFoundException {
        return defineClassNative(n.replace('.', '/'), l, d.mCookie, d);
    }

    private static native Object openDexFileNative(
        String s,
        String o,
        int flags,
        ClassLoader l,
        DexPathList.Element[] e
    );

    private static native Class<?> defineClassNative(String n, ClassLoader l, Object cookie, DexFile d)
        throws ClassNotFoundException;

    public static native boolean closeDexFile(Object a0);

    public static native String[] getClassNameList(Object a0);

    public static native boolean isDexOptNeeded(String a0);

    public static native int getDexOptNeeded(
        String a0,
        String a1,
        String a2,
        String a3,
        boolean a4,
        boolean a5
    );

    public static native Object openInMemoryDexFilesNative(
        ByteBuffer[] a0,
        byte[][] a1,
        int[] a2,
        int[] a3,
        ClassLoader a4,
        DexPathList.Element[] a5
    );

    public static native String getClassLoaderContext(ClassLoader a0, DexPathList.Element[] a1);

    public static native void verifyInBackgroundNative(Object a0, ClassLoader a1, String a2);

    public static native boolean isValidCompilerFilter(String a0);

    public static native boolean isProfileGuidedCompilerFilter(String a0);

    public static native String getNonProfileGuidedCompilerFilter(String a0);

    public static native String getSafeModeCompilerFilter(String a0);

    public static native boolean isBackedByOatFile(Object a0);

    public static native String getDexFileStatus(String a0, String a1);

    public static native String[] getDexFileOutputPaths(String a0, String a1);

    public static native long getStaticSizeOfDexFile(Object a0);

    public static native String[] getDexFileOptimizationStatus(String a0, String a1);

    public static native void setTrusted(Object a0);
    public static native void verifyInBackgroundNative(Object a0, ClassLoader a1);
    public static native boolean isVerifiedCompilerFilter(String a0);
    public static native boolean isOptimizedCompilerFilter(String a0);
    public static native boolean isReadOnlyJavaDclEnforced();
}
