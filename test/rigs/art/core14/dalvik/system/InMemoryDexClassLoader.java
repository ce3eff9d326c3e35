package dalvik.system;

public class InMemoryDexClassLoader extends BaseDexClassLoader {
    public InMemoryDexClassLoader(java.nio.ByteBuffer b, ClassLoader c) {
        super("", c);
    }
}
