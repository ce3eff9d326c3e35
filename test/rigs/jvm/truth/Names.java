import java.lang.reflect.Proxy;
import java.util.List;

/** Sleeps in methods of every kind of name that compilers and the JVM make, Kotlin's and Scala's as far as javac may write them. */
final class Names {
    interface Step {
        void go();
    }

    static class Companion {
        void inCompanion() {
            asleep();
        }
    }

    /** As Scala has an object. */
    static final class Object$ {
        static final Object$ MODULE$ = new Object$();

        void $plus$plus() {
            asleep();
        }
    }

    /** Its constructor and what begins the class. */
    static class Inner {
        static {
            asleep();
        }

        Inner() {
            asleep();
        }

        class Deeper {
            void inDeeper() {
                asleep();
            }
        }
    }

    private static final Step PROXY = (Step)
            Proxy.newProxyInstance(Names.class.getClassLoader(), new Class<?>[] {Step.class}, (self, method, nothing) -> {
                asleep();
                return null;
            });

    private static final List<Step> STEPS = List.of(
            PROXY,
            new Step() {
                @Override
                public void go() {
                    asleep();
                }
            },
            Names::referred,
            () -> asleep(),
            () -> new Companion().inCompanion(),
            () -> Object$.MODULE$.$plus$plus(),
            () -> new Inner().new Deeper().inDeeper(),
            () -> fill$default(1),
            () -> access$hidden(),
            () -> $anonfun$work$1(),
            () -> größe());

    private Names() {}

    static void all() {
        class Local {
            void inLocal() {
                asleep();
            }
        }
        new Local().inLocal();
        for (Step step : STEPS) step.go();
    }

    private static void referred() {
        asleep();
    }

    static void fill$default(int mask) {
        asleep();
    }

    static void access$hidden() {
        asleep();
    }

    static void $anonfun$work$1() {
        asleep();
    }

    static void größe() {
        asleep();
    }

    private static void asleep() {
        Truth.pause(2);
    }
}
