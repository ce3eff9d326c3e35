package java.lang;

public final class StringBuilder implements CharSequence {

    private char[] v = new char[32];
    private int n;

    public StringBuilder() {}

    public StringBuilder(int cap) {
        v = new char[cap < 1 ? 1 : cap];
    }

    public StringBuilder(String s) {
        append(s);
    }

    private void room(int k) {
        if (n + k > v.length) {
            char[] w = new char[(n + k) * 2];
            System.arraycopy((Object) v, 0, (Object) w, 0, n);
            v = w;
        }
    }

    public StringBuilder append(Object o) {
        return append(String.valueOf(o));
    }

    public StringBuilder append(String s) {
        if (s == null) s = "null";
        int k = s.length();
        room(k);
        s.getCharsNoCheck(0, k, v, n);
        n += k;
        return this;
    }

    public StringBuilder append(CharSequence s) {
        return append(s == null ? "null" : s.toString());
    }

    public StringBuilder append(char[] c) {
        room(c.length);
        System.arraycopy((Object) c, 0, (Object) v, n, c.length);
        n += c.length;
        return this;
    }

    public StringBuilder append(boolean b) {
        return append(b ? "true" : "false");
    }

    public StringBuilder append(char c) {
        room(1);
        v[n++] = c;
        return this;
    }

    public StringBuilder append(int i) {
        return append(Integer.toString(i));
    }

    public StringBuilder append(long l) {
        return append(Long.toString(l));
    }

    public StringBuilder append(float f) {
        return append(Long.toString((long) f));
    }

    public StringBuilder append(double d) {
        return append(Long.toString((long) d));
    }

    public int length() {
        return n;
    }

    public char charAt(int i) {
        return v[i];
    }

    public CharSequence subSequence(int s, int e) {
        return toString().substring(s, e);
    }

    public String toString() {
        return new String(v, 0, n);
    }
}
