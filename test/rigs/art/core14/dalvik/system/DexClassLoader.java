package dalvik.system;

public class DexClassLoader extends BaseDexClassLoader {
    public DexClassLoader(String p, String o, String l, ClassLoader c) {
        super(p, c);
    }
}
