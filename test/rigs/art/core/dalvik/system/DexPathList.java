package dalvik.system;

public final class DexPathList {

    Element[] dexElements;

    static final class Element {

        DexFile dexFile;
    }

    DexPathList(ClassLoader l, String path) {
        int n = 0;
        if (path != null && !path.isEmpty()) {
            n = 1;
            for (int i = 0; i < path.length(); i++) if (path.charAt(i) == ':') n++;
        }
        dexElements = new Element[n];
        for (int i = 0, at = 0; i < n; i++) {
            int e = path.indexOf(':', at);
            if (e < 0) e = path.length();
            Element el = new Element();
            el.dexFile = new DexFile(path.substring(at, e), l, null);
            dexElements[i] = el;
            at = e + 1;
        }
    }
}
