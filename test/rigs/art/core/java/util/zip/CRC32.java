package java.util.zip;

public class CRC32 {

    public static native int update(int a0, int a1);

    public static native int updateBytes(int a0, byte[] a1, int a2, int a3);

    public static native int updateByteBuffer(int a0, long a1, int a2, int a3);
}
