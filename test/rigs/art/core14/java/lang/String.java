package java.lang;

import dalvik.annotation.optimization.FastNative;
import java.io.Serializable;
import java.nio.charset.Charset;
import java.util.Comparator;

public final class String implements Serializable, Comparable<String>, CharSequence {

    private static final long serialVersionUID = 1L;
    public static final Comparator<String> CASE_INSENSITIVE_ORDER = null;
    private static final Object[] serialPersistentFields = new Object[0];
    static final boolean COMPACT_STRINGS = true;
    static final byte LATIN1 = 0;
    static final byte UTF16 = 1;
    private final int count;
    private int hash;

    public String() {
        throw no();
    }

    public String(byte[] a) {
        throw no();
    }

    public String(byte[] a, int hi) {
        throw no();
    }

    public String(byte[] a, int o, int n) {
        throw no();
    }

    public String(byte[] a, int hi, int o, int n) {
        throw no();
    }

    public String(byte[] a, int o, int n, String cs) {
        throw no();
    }

    public String(byte[] a, String cs) {
        throw no();
    }

    public String(byte[] a, int o, int n, Charset cs) {
        throw no();
    }

    public String(byte[] a, Charset cs) {
        throw no();
    }

    public String(byte[] a, byte coder) {
        throw no();
    }

    public String(char[] a) {
        throw no();
    }

    public String(char[] a, int o, int n) {
        throw no();
    }

    String(int o, int n, char[] a) {
        throw no();
    }

    public String(String s) {
        throw no();
    }

    public String(StringBuffer s) {
        throw no();
    }

    public String(int[] a, int o, int n) {
        throw no();
    }

    public String(StringBuilder s) {
        throw no();
    }

    private static Error no() {
        return new InternalError("String.<init> is replaced by StringFactory");
    }

    public int length() {
        return count >>> 1;
    }

    public boolean isEmpty() {
        return count >>> 1 == 0;
    }

    @FastNative
    public native char charAt(int i);

    @FastNative
    public native int compareTo(String o);

    @FastNative
    public native String concat(String o);

    @FastNative
    private native String doReplace(char a, char b);

    @FastNative
    private native String fastSubstring(int s, int n);

    @FastNative
    native void getCharsNoCheck(int s, int e, char[] d, int o);

    @FastNative
    public native String intern();

    @FastNative
    public native char[] toCharArray();

    public boolean equals(Object o) {
        if (this == o) return true;
        if (!(o instanceof String)) return false;
        String s = (String) o;
        int n = length();
        if (n != s.length()) return false;
        for (int i = 0; i < n; i++) if (charAt(i) != s.charAt(i)) return false;
        return true;
    }

    public int hashCode() {
        int h = hash;
        if (h == 0) {
            int n = length();
            for (int i = 0; i < n; i++) h = 31 * h + charAt(i);
            hash = h;
        }
        return h;
    }

    public String toString() {
        return this;
    }

    public int indexOf(int c) {
        return indexOf(c, 0);
    }

    public int indexOf(int c, int from) {
        for (int i = from < 0 ? 0 : from; i < length(); i++) if (charAt(i) == c) return i;
        return -1;
    }

    public int indexOf(String s) {
        return indexOf(s, 0);
    }

    public int indexOf(String s, int from) {
        for (int i = from < 0 ? 0 : from; i + s.length() <= length(); i++) if (startsWith(s, i)) return i;
        return -1;
    }

    public int lastIndexOf(int c) {
        for (int i = length() - 1; i >= 0; i--) if (charAt(i) == c) return i;
        return -1;
    }

    public boolean startsWith(String s, int at) {
        if (at < 0 || at + s.length() > length()) return false;
        for (int i = 0; i < s.length(); i++) if (charAt(at + i) != s.charAt(i)) return false;
        return true;
    }

    public boolean startsWith(String s) {
        return startsWith(s, 0);
    }

    public boolean endsWith(String s) {
        return startsWith(s, length() - s.length());
    }

    public String substring(int s) {
        return substring(s, length());
    }

    public String substring(int s, int e) {
        if (s < 0 || e < s || e > length()) throw new StringIndexOutOfBoundsException("substring");
        return s == 0 && e == length() ? this : fastSubstring(s, e - s);
    }

    public CharSequence subSequence(int s, int e) {
        return substring(s, e);
    }

    public String replace(char a, char b) {
        return doReplace(a, b);
    }

    public static String valueOf(Object o) {
        return o == null ? "null" : o.toString();
    }

    public static String valueOf(int v) {
        return Integer.toString(v);
    }

    public static String valueOf(long v) {
        return Long.toString(v);
    }

    public static String valueOf(char v) {
        return new String(new char[] { v }, 0, 1);
    }

    public static String valueOf(boolean v) {
        return v ? "true" : "false";
    }

    // libart knows the size of String's class: it has 54 virtual methods beyond Object's 11. These make up the number;
    // one is taken away for each virtual method that is added above.
    @FastNative
    public native String doRepeat(int a0);

    @FastNative
    public native void fillBytesLatin1(byte[] a0, int a1);

    @FastNative
    public native void fillBytesUTF16(byte[] a0, int a1);
    public void unused0() {}
    public void unused1() {}
    public void unused2() {}
    public void unused3() {}
    public void unused4() {}
    public void unused5() {}
    public void unused6() {}
    public void unused7() {}
    public void unused8() {}
    public void unused9() {}
    public void unused10() {}
    public void unused11() {}
    public void unused12() {}
    public void unused13() {}
    public void unused14() {}
    public void unused15() {}
    public void unused16() {}
    public void unused17() {}
    public void unused18() {}
    public void unused19() {}
    public void unused20() {}
    public void unused21() {}
    public void unused22() {}
    public void unused23() {}
    public void unused24() {}
    public void unused25() {}
    public void unused26() {}
    public void unused27() {}
    public void unused28() {}
    public void unused29() {}
    public void unused30() {}
    public void unused31() {}
    public void unused32() {}
    public void unused33() {}
    public void unused34() {}
    public void unused35() {}
    public void unused36() {}
    public void unused37() {}
    public void unused38() {}
    public void unused39() {}
    public void unused40() {}
    public void unused41() {}
    public void unused42() {}
}
