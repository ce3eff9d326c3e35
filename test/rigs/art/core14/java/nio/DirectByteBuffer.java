package java.nio;

public class DirectByteBuffer extends ByteBuffer {

    DirectByteBuffer(long a, int c) {
        address = a;
        capacity = c;
        limit = c;
    }

    public boolean isDirect() {
        return true;
    }
}
