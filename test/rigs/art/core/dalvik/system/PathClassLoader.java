package dalvik.system;

public class PathClassLoader extends BaseDexClassLoader {

    public PathClassLoader(String p, ClassLoader c) {
        super(p, c);
    }
}
