import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A thread that sleeps 2 ms at a time, in turns in places that are easily taken for one another: methods of one shape, two lines of one
 * method, recursion of two depths, two classes behind one call. Arguments: the file for what it did, and "warm" to let the JVM compile
 * it all before. The file has a line for each place, its number and the stack that the JVM tells of it, and a line for each sleep: its
 * begin (System.nanoTime) and the number of the place.
 */
public final class Places {
    private static final int PLACES = 8;
    private static final int WARM = 30_000;
    private static final long[] begins = new long[1 << 16];
    private static final int[] places = new int[1 << 16];
    private static final String[] stacks = new String[PLACES];
    private static volatile int sleeps;
    private static int here;
    private static int millis;

    private Places() {}

    interface Animal {
        void rest();
    }

    static final class Cat implements Animal {
        @Override
        public void rest() {
            nap();
        }
    }

    static final class Dog implements Animal {
        @Override
        public void rest() {
            nap();
        }
    }

    private static final Animal[] ANIMALS = {new Cat(), new Dog()};

    public static void main(String[] args) throws IOException {
        for (int round = 0; round < PLACES; round++) go(round);
        boolean warm = Arrays.asList(args).contains("warm");
        for (int round = 0; warm && round < WARM; round++) go(round);
        millis = 2;
        Thread sleeper = new Thread(Places::sleep, "sleeper");
        sleeper.setDaemon(true);
        sleeper.start();
        System.out.println("ready");
        while (System.in.read() >= 0) continue;
        try (PrintStream out = new PrintStream(Files.newOutputStream(Path.of(args[0])))) {
            for (int place = 0; place < PLACES; place++) out.println("place " + place + " " + stacks[place]);
            for (int i = 0; i < sleeps; i++) out.println("sleep " + begins[i] + " " + places[i]);
        }
    }

    private static void sleep() {
        for (int round = 0; ; round++) go(round);
    }

    private static void go(int round) {
        here = round % PLACES;
        switch (here) {
            case 0: left(); break;
            case 1: right(); break;
            case 2: case 3: lines(here); break;
            case 4: case 5: deep(here - 2); break;
            default: ANIMALS[here - 6].rest();
        }
    }

    private static void left() {
        nap();
    }

    private static void right() {
        nap();
    }

    private static void lines(int which) {
        if (which == 2) nap();
        else nap();
    }

    private static void deep(int levels) {
        if (levels == 0) nap();
        else deep(levels - 1);
    }

    private static void nap() {
        if (millis == 0) {
            if (stacks[here] == null) stacks[here] = stack();
            return;
        }
        begins[sleeps] = System.nanoTime();
        places[sleeps] = here;
        try {
            Thread.sleep(millis);
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
        sleeps++;
    }

    /** Below nap(), down to go(): method and line of each. */
    private static String stack() {
        StringBuilder text = new StringBuilder();
        StackTraceElement[] frames = new Throwable().getStackTrace();
        for (int i = 2; !frames[i - 1].getMethodName().equals("go"); i++) {
            text.append(frames[i].getClassName()).append('.').append(frames[i].getMethodName()).append(':').append(frames[i].getLineNumber()).append('<');
        }
        return text.toString();
    }
}
