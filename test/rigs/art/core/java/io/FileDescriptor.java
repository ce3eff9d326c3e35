package java.io;

public final class FileDescriptor {

    private int descriptor = -1;
    private long ownerId;
}
