package org.apache.harmony.dalvik.ddmc;

import dalvik.annotation.optimization.FastNative;

public class DdmVmInternal {

    public static native void enableRecentAllocations(boolean a0);

    @FastNative
    public static native byte[] getRecentAllocations();

    @FastNative
    public static native boolean getRecentAllocationStatus();

    public static native StackTraceElement[] getStackTraceById(int a0);

    public static native byte[] getThreadStats();

    @FastNative
    public static native boolean heapInfoNotify(int a0);

    public static native boolean heapSegmentNotify(int a0, int a1, boolean a2);

    public static native void threadNotify(boolean a0);
    public static native void setRecentAllocationsTrackingEnabled(boolean a0);
    public static native void setThreadNotifyEnabled(boolean a0);
}
