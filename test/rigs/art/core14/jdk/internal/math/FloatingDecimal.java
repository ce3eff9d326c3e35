package jdk.internal.math;

public class FloatingDecimal {
    public interface BinaryToASCIIConverter {}
    static class ExceptionalBinaryToASCIIBuffer implements BinaryToASCIIConverter {
        private final String image;
        ExceptionalBinaryToASCIIBuffer(String s) {
            image = s;
        }
    }

    static class BinaryToASCIIBuffer implements BinaryToASCIIConverter {
        private final char[] buffer = new char[26];
        private int getChars(char[] r) {
            return 0;
        }
    }

    static BinaryToASCIIConverter getBinaryToASCIIConverter(double d) {
        return new BinaryToASCIIBuffer();
    }

    static BinaryToASCIIConverter getBinaryToASCIIConverter(float f) {
        return new BinaryToASCIIBuffer();
    }
}
