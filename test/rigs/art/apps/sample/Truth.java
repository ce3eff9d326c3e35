package sample;

/** One fact that a test compares a recording with. */
final class Truth {

    private final StringBuilder line = new StringBuilder("truth ");

    Truth(String name) {
        line.append(name);
    }

    Truth with(String key, long value) {
        line.append(' ').append(key).append('=').append(value);
        return this;
    }

    Truth with(String key, String value) {
        line.append(' ').append(key).append('=').append(value);
        return this;
    }

    void tell() {
        System.out.println(with("told", System.nanoTime()).line.toString());
    }
}
