package dalvik.system;

public class DelegateLastClassLoader extends PathClassLoader {

    public DelegateLastClassLoader(String p, ClassLoader c) {
        super(p, c);
    }
}
