/** The main thread looks for duplicates in quadratic time. */
final class HotLoop implements Cause {
    private final int[] orders = new int[3000];

    @Override
    public void prepare() {
        for (int at = 0; at < orders.length; at++) orders[at] = at * 31;
    }

    @Override
    public void step(int ms) {
        long end = System.nanoTime() + ms * 1_000_000L;
        while (System.nanoTime() < end) Work.sink += countDuplicates();
    }

    private int countDuplicates() {
        int found = 0;
        for (int left = 0; left < orders.length; left++)
            for (int right = left + 1; right < orders.length; right++)
                if (orders[left] % 97 == orders[right] % 89) found++;
        return found;
    }
}
