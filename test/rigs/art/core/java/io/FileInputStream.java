package java.io;

public class FileInputStream {

    private final int fd;

    public FileInputStream(int fd) {
        this.fd = fd;
    }

    /** Blocks in native code. −1 at the end. */
    public int read() {
        return read0(fd);
    }

    public String readLine() {
        StringBuilder line = new StringBuilder();
        for (int c = read(); c != '\n'; c = read()) {
            if (c < 0) return line.length() == 0 ? null : line.toString();
            line.append((char) c);
        }
        return line.toString();
    }

    private static native int read0(int fd);
}
