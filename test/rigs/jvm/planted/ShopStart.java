import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Starts as programs do: loads classes, reads a file, parses, sorts and fills caches, on the main thread and on another one. The same work
 * each time. The argument: how many milliseconds longer one step waits.
 */
final class ShopStart {
    private static volatile long sink;

    public static void main(String[] args) throws Exception {
        int longerMs = args.length > 0 ? Integer.parseInt(args[0]) : 0;
        Thread sync = new Thread(ShopStart::syncOrders, "order sync");
        sync.start();
        Path file = writeSettings();
        Map<String, String> settings = readSettings(file);
        List<String> items = parseCatalogue(settings);
        openConnection(longerMs);
        buildIndex(items);
        renderFirstPage(items);
        sync.join();
        Files.delete(file);
    }

    private static Path writeSettings() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int line = 0; line < 20_000; line++) text.append("key.").append(line).append(" = value ").append(line * 31).append('\n');
        Path file = Files.createTempFile("shop", ".properties");
        Files.write(file, text.toString().getBytes(StandardCharsets.UTF_8));
        return file;
    }

    private static Map<String, String> readSettings(Path file) throws Exception {
        Pattern line = Pattern.compile("(\\S+) = (.*)");
        Map<String, String> settings = new HashMap<>();
        for (String one : Files.readAllLines(file)) {
            var match = line.matcher(one);
            if (match.matches()) settings.put(match.group(1), match.group(2));
        }
        return settings;
    }

    private static List<String> parseCatalogue(Map<String, String> settings) {
        return settings.entrySet().stream()
            .map(entry -> entry.getKey().substring(4) + ":" + entry.getValue().toUpperCase())
            .sorted()
            .collect(Collectors.toCollection(ArrayList::new));
    }

    /** Waits for an answer. */
    private static void openConnection(int longerMs) throws InterruptedException {
        Thread.sleep(15 + longerMs);
    }

    private static void buildIndex(List<String> items) {
        TreeMap<String, Integer> index = new TreeMap<>();
        for (int at = 0; at < items.size(); at++) index.put(new StringBuilder(items.get(at)).reverse().toString(), at);
        sink += index.firstEntry().getValue();
    }

    private static void renderFirstPage(List<String> items) {
        StringBuilder page = new StringBuilder();
        for (String item : items.subList(0, 4000)) page.append(String.format("<li>%-20s</li>%n", item));
        sink += page.length();
    }

    private static void syncOrders() {
        long hash = 17;
        for (int at = 0; at < 30_000_000; at++) hash = hash * 31 + (hash >>> 7) + at;
        sink += hash;
    }
}
