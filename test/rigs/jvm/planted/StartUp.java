import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Starts up by one long step after the other, all on the main thread, and then ends. A step is so much CPU time: a busy machine stretches all
 * of them alike, and each has as many samples as elsewhere.
 */
final class StartUp {
    private static final ThreadMXBean CLOCKS = ManagementFactory.getThreadMXBean();

    public static void main(String[] args) {
        readSettings();
        buildCatalogue();
        warmCaches();
        checkLicences();
    }

    private static void work(int cpuMs) {
        long end = CLOCKS.getCurrentThreadCpuTime() + cpuMs * 1_000_000L;
        while (CLOCKS.getCurrentThreadCpuTime() < end) Work.mixed(2);
    }

    private static void readSettings() {
        work(300);
    }

    private static void buildCatalogue() {
        work(350);
    }

    private static void warmCaches() {
        work(300);
    }

    private static void checkLicences() {
        work(250);
    }
}
