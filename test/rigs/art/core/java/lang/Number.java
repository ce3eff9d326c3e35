package java.lang;

import java.io.Serializable;

public abstract class Number implements Serializable {

    public abstract int intValue();

    public abstract long longValue();

    public abstract float floatValue();

    public abstract double doubleValue();
}
