package dalvik.system;

import dalvik.annotation.optimization.FastNative;

public final class VMDebug {

    public static native long countInstancesOfClass(Class a0, boolean a1);

    public static native long[] countInstancesOfClasses(Class[] a0, boolean a1);

    public static native void crash();

    public static native void dumpHprofData(String a0, int a1);

    public static native void dumpHprofDataDdms();

    public static native void dumpReferenceTables();

    public static native int getAllocCount(int a0);

    public static native void getHeapSpaceStats(long[] a0);

    public static native Object[][] getInstancesOfClasses(Class[] a0, boolean a1);

    public static native void getInstructionCount(int[] a0);

    @FastNative
    public static native int getLoadedClassCount();

    public static native String[] getVmFeatureList();

    public static native void infopoint(int a0);

    @FastNative
    public static native boolean isDebuggerConnected();

    @FastNative
    public static native boolean isDebuggingEnabled();

    public static native int getMethodTracingMode();

    @FastNative
    public static native long lastDebuggerActivity();

    @FastNative
    public static native void printLoadedClasses(int a0);

    public static native void resetAllocCount(int a0);

    public static native void resetInstructionCount();

    public static native void startAllocCounting();

    public static native void startEmulatorTracing();

    public static native void startInstructionCounting();

    public static native void startMethodTracingDdmsImpl(int a0, int a1, boolean a2, int a3);

    public static native void startMethodTracingFd(
        String a0,
        int a1,
        int a2,
        int a3,
        boolean a4,
        int a5,
        boolean a6
    );

    public static native void startMethodTracingFilename(String a0, int a1, int a2, boolean a3, int a4);

    public static native void stopAllocCounting();

    public static native void stopEmulatorTracing();

    public static native void stopInstructionCounting();

    public static native void stopMethodTracing();

    @FastNative
    public static native long threadCpuTimeNanos();

    public static native String getRuntimeStatInternal(int a0);

    public static native String[] getRuntimeStatsInternal();

    public static native void nativeAttachAgent(String a0, ClassLoader a1);

    public static native void allowHiddenApiReflectionFrom(Class a0);

    public static native void setAllocTrackerStackDepth(int a0);
    public static native void suspendAllAndSendVmStart();
}
