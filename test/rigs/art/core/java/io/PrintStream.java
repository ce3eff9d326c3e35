package java.io;

public class PrintStream {

    private final int fd;

    public PrintStream(int fd) {
        this.fd = fd;
    }

    public void println(String s) {
        write0(fd, s + "\n");
    }

    public void println(Object o) {
        println(String.valueOf(o));
    }

    public void println(int v) {
        println(Integer.toString(v));
    }

    public void println(long v) {
        println(Long.toString(v));
    }

    public void println() {
        println("");
    }

    public void print(String s) {
        write0(fd, s);
    }

    private static native void write0(int fd, String s);
}
