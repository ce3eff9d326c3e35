package org.apache.harmony.dalvik.ddmc;

import dalvik.annotation.optimization.FastNative;

public class DdmServer {

    private static void broadcast(int e) {}

    private static Chunk dispatch(int t, byte[] d, int o, int n) {
        return null;
    }

    @FastNative
    public static native void nativeSendChunk(int a0, byte[] a1, int a2, int a3);
}
