package java.nio;

public abstract class ByteBuffer extends Buffer {

    byte[] hb;
    int offset;
    boolean isReadOnly;
}
