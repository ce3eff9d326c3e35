package dalvik.system;

public final class ZygoteHooks {

    public static native long nativePreFork();

    public static native void nativePostZygoteFork();

    public static native void nativePostForkSystemServer(int a0);

    public static native void nativePostForkChild(long a0, int a1, boolean a2, boolean a3, String a4);

    public static native void startZygoteNoThreadCreation();

    public static native void stopZygoteNoThreadCreation();
    public static native boolean nativeZygoteLongSuspendOk();
}
