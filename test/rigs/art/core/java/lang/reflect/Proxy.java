package java.lang.reflect;

import dalvik.annotation.optimization.FastNative;
import java.io.Serializable;

public class Proxy implements Serializable {

    protected InvocationHandler h;

    protected Proxy(InvocationHandler h) {
        this.h = h;
    }

    private static Object invoke(Proxy p, Method m, Object[] a) throws Throwable {
        return p.h.invoke(p, m, a);
    }

    @FastNative
    public static native Class<?> generateProxy(
        String a0,
        Class[] a1,
        ClassLoader a2,
        Method[] a3,
        Class[][] a4
    );
}
