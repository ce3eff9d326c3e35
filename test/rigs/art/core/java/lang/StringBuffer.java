package java.lang;

public final class StringBuffer implements CharSequence {

    private final StringBuilder b = new StringBuilder();

    public synchronized StringBuffer append(String s) {
        b.append(s);
        return this;
    }

    public synchronized int length() {
        return b.length();
    }

    public synchronized char charAt(int i) {
        return b.charAt(i);
    }

    public synchronized CharSequence subSequence(int s, int e) {
        return b.subSequence(s, e);
    }

    public synchronized String toString() {
        return b.toString();
    }
}
