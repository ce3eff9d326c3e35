package java.lang;

import java.io.Serializable;

public final class Character implements Serializable {

    private final char value;

    public Character(char v) {
        value = v;
    }

    public static Character valueOf(char v) {
        return new Character(v);
    }

    public char charValue() {
        return value;
    }

    public String toString() {
        return String.valueOf(value);
    }
}
