package org.apache.harmony.dalvik.ddmc;

public class Chunk {

    public byte[] data;
    public int length;
    public int offset;
    public int type;
}
