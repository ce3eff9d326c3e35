package libcore.util;

public final class FP16 {

    public static native short ceil(short a0);

    public static native short floor(short a0);

    public static native short rint(short a0);

    public static native float toFloat(short a0);

    public static native short toHalf(float a0);

    public static native boolean greater(short a0, short a1);

    public static native boolean greaterEquals(short a0, short a1);

    public static native boolean less(short a0, short a1);

    public static native boolean lessEquals(short a0, short a1);
    public static native int compare(short a0, short a1);
    public static native short min(short a0, short a1);
    public static native short max(short a0, short a1);
}
