package java.nio;

public abstract class Buffer {

    long address;
    int _elementSizeShift;
    int limit;
    int position;
    int capacity;
    public abstract boolean isDirect();
}
