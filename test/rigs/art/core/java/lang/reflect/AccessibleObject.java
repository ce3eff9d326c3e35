package java.lang.reflect;

public class AccessibleObject {

    boolean override;

    public void setAccessible(boolean f) {
        override = f;
    }
}
