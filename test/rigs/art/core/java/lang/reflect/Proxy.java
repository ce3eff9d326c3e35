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

    // libart knows that the class has 21 direct methods. These make up the number.
    private static void unused0() {}
    private static void unused1() {}
    private static void unused2() {}
    private static void unused3() {}
    private static void unused4() {}
    private static void unused5() {}
    private static void unused6() {}
    private static void unused7() {}
    private static void unused8() {}
    private static void unused9() {}
    private static void unused10() {}
    private static void unused11() {}
    private static void unused12() {}
    private static void unused13() {}
    private static void unused14() {}
    private static void unused15() {}
    private static void unused16() {}
    private static void unused17() {}
}
