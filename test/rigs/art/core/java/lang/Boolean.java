package java.lang;

import java.io.Serializable;

public final class Boolean implements Serializable {

    private final boolean value;

    public Boolean(boolean v) {
        value = v;
    }

    public static Boolean valueOf(boolean v) {
        return new Boolean(v);
    }

    public boolean booleanValue() {
        return value;
    }

    public String toString() {
        return String.valueOf(value);
    }
}
