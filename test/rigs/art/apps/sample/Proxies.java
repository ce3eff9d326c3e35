package sample;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * Its work is reached through a proxy, as that of a network library's services is: 4 ms by one interface, 2 ms by another, 1 ms by
 * what the proxy has of Object.
 */
public final class Proxies extends Sample implements InvocationHandler {

    interface Prices {
        int price(String of);
    }

    interface Stock {
        int count(int most, Object[] of);
    }

    private Constructor<?> constructor;
    private final Object[] arguments = {this};
    private int micros;

    void round(int round) throws Exception {
        if (constructor == null) constructor = made().getDeclaredConstructorInternal(new Class[] {InvocationHandler.class});
        Cpu.burnQuietly(200); // so that the allocation that follows is one of those that are looked at
        Object proxy = constructor.newInstance0(arguments);
        micros = 4000;
        int sum = ((Prices) proxy).price("tea");
        micros = 2000;
        sum += ((Stock) proxy).count(3, null);
        micros = 1000;
        sum += proxy.hashCode();
        new Truth("round").with("sum", sum).tell();
    }

    private Class<?> made() throws Exception {
        Class[] interfaces = {Prices.class, Stock.class};
        Method[] methods = {
            Prices.class.getDeclaredMethodsUnchecked(false)[0],
            Stock.class.getDeclaredMethodsUnchecked(false)[0],
            Object.class.getDeclaredMethodInternal("hashCode", new Class[0]),
        };
        Class[][] thrown = {{}, {}, {}};
        return Proxy.generateProxy("$Proxy0", interfaces, getClass().getClassLoader(), methods, thrown);
    }

    public Object invoke(Object proxy, Method method, Object[] arguments) {
        Cpu.burn(micros);
        return Integer.valueOf(7);
    }
}
