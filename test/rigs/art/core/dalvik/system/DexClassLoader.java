package dalvik.system;

public class DexClassLoader extends BaseDexClassLoader {

    public DexClassLoader(String p, ClassLoader c) {
        super(p, c);
    }
}
