package dalvik.system;

public class InMemoryDexClassLoader extends BaseDexClassLoader {

    public InMemoryDexClassLoader(String p, ClassLoader c) {
        super(p, c);
    }
}
