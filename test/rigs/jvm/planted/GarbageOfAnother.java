import java.util.ArrayDeque;

/** Another thread makes so many objects that collections hold the main thread up. */
final class GarbageOfAnother implements Cause {
    private final ArrayDeque<Object[]> rows = new ArrayDeque<>();

    @Override
    public void prepare() {
        Thread importer = new Thread(() -> {
            while (true) importRow();
        }, "importer");
        importer.setDaemon(true);
        importer.start();
    }

    private void importRow() {
        Object[] row = null;
        for (int at = 0; at < 2000; at++) row = new Object[] {row, at};
        rows.add(row);
        if (rows.size() > 150) rows.removeFirst();
    }

    @Override
    public void step(int ms) {
        Work.mixed(ms);
    }
}
