package java.lang.invoke;

public class MethodHandles {

    public static Lookup lookup() {
        return new Lookup();
    }

    public static final class Lookup {

        private int allowedModes;
        private Class<?> lookupClass;

        public MethodHandle findConstructor(Class<?> c, MethodType t) {
            throw new UnsupportedOperationException("findConstructor");
        }
    }
}
