package dalvik.system;

import dalvik.annotation.optimization.CriticalNative;
import dalvik.annotation.optimization.FastNative;
import java.util.function.Consumer;

public final class VMRuntime {

    private static final VMRuntime it = new VMRuntime();
    private static Consumer<String> nonSdkApiUsageConsumer;

    public static VMRuntime getRuntime() {
        return it;
    }

    public static void runFinalization(long t) {}

    private static void hiddenApiUsed(int a, String p, String s, int m, boolean d) {}

    public native String classPath();

    public native void runHeapTasks();

    public native void startHeapTaskProcessor();

    public native void stopHeapTaskProcessor();

    @CriticalNative
    public static native void doNotInitializeInAot();

    @FastNative
    public native long addressOf(Object a0);

    public native String bootClassPath();

    public native void clampGrowthLimit();

    public native void clearGrowthLimit();

    public native void disableJitCompilation();

    @FastNative
    public static native boolean hasBootImageSpaces();

    public static native void setHiddenApiExemptions(String[] a0);

    public static native void setHiddenApiAccessLogSamplingRate(int a0);

    public native float getTargetHeapUtilization();

    @FastNative
    public native boolean isNativeDebuggable();

    public native boolean isJavaDebuggable();

    public native void nativeSetTargetHeapUtilization(float a0);

    @FastNative
    public native Object newNonMovableArray(Class a0, int a1);

    @FastNative
    public native Object newUnpaddedArray(Class a0, int a1);

    public native String[] properties();

    public native void setTargetSdkVersionNative(int a0);

    public native void setDisabledCompatChangesNative(long[] a0);

    public native void registerNativeAllocation(long a0);

    public native void registerNativeFree(long a0);

    public static native int getNotifyNativeInterval();

    public native long getFinalizerTimeoutMs();

    public native void notifyNativeAllocationsInternal();

    public native void notifyStartupCompleted();

    public native void registerSensitiveThread();

    public native void requestConcurrentGC();

    public native void requestHeapTrim();

    public native void updateProcessState(int a0);

    public native void startJitCompilation();

    public native void trimHeap();

    public native String vmVersion();

    public native String vmLibrary();

    public native String vmInstructionSet();

    @FastNative
    public native boolean is64Bit();

    @FastNative
    public native boolean isCheckJniEnabled();

    public native void preloadDexCaches();

    public static native void registerAppInfo(String a0, String[] a1);

    public static native boolean isBootClassPathOnDisk(String a0);

    public static native String getCurrentInstructionSet();

    public static native boolean didPruneDalvikCache();

    public static native void setSystemDaemonThreadPriority();

    public static native void setDedupeHiddenApiWarnings(boolean a0);

    public static native void setProcessPackageName(String a0);

    public static native void setProcessDataDirectory(String a0);

    public static native void bootCompleted();

    public static native void resetJitCounters();

    public static native boolean isValidClassLoaderContext(String a0);
    public static native int getSdkVersionNative(int a0);
    public static native void registerAppInfo(String a0, String a1, String a2, String[] a3, int a4);
    public static native dalvik.system.DexFile.OptimizationInfo getBaseApkOptimizationInfo();
}
