package java.lang;

public interface CharSequence {
    int length();
    char charAt(int i);
    CharSequence subSequence(int s, int e);
    String toString();
}
