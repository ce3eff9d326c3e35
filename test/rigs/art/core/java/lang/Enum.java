package java.lang;

import java.io.Serializable;

public abstract class Enum<E extends Enum<E>> implements Comparable<E>, Serializable {

    private final String name;
    private final int ordinal;

    protected Enum(String n, int o) {
        name = n;
        ordinal = o;
    }

    public final int ordinal() {
        return ordinal;
    }

    public final String name() {
        return name;
    }

    public String toString() {
        return name;
    }

    public final int compareTo(E o) {
        return ordinal - ((Enum<?>) o).ordinal;
    }

    public static <T extends Enum<T>> T valueOf(Class<T> c, String n) {
        throw new IllegalArgumentException(n);
    }
}
