package java.util;

public class HashMap<K, V> implements Map<K, V> {

    private static final class Node {

        final Object key;
        Object value;
        Node next;

        Node(Object key, Object value, Node next) {
            this.key = key;
            this.value = value;
            this.next = next;
        }
    }

    private Node[] buckets = new Node[16];
    private int size;

    public int size() {
        return size;
    }

    public boolean containsKey(Object key) {
        return find(key) != null;
    }

    @SuppressWarnings("unchecked")
    public V get(Object key) {
        Node node = find(key);
        return node == null ? null : (V) node.value;
    }

    @SuppressWarnings("unchecked")
    public V put(K key, V value) {
        Node node = find(key);
        if (node != null) {
            Object old = node.value;
            node.value = value;
            return (V) old;
        }
        if (size > buckets.length) grow();
        int bucket = bucketOf(key, buckets.length);
        buckets[bucket] = new Node(key, value, buckets[bucket]);
        size++;
        return null;
    }

    @SuppressWarnings("unchecked")
    public V remove(Object key) {
        int bucket = bucketOf(key, buckets.length);
        Node before = null;
        for (Node node = buckets[bucket]; node != null; before = node, node = node.next) {
            if (!node.key.equals(key)) continue;
            if (before == null) buckets[bucket] = node.next;
            else before.next = node.next;
            size--;
            return (V) node.value;
        }
        return null;
    }

    @SuppressWarnings("unchecked")
    public Collection<K> keySet() {
        ArrayList<K> keys = new ArrayList<K>();
        for (Node bucket : buckets) for (Node node = bucket; node != null; node = node.next) keys.add((K) node.key);
        return keys;
    }

    private Node find(Object key) {
        for (Node node = buckets[bucketOf(key, buckets.length)]; node != null; node = node.next) {
            if (node.key.equals(key)) return node;
        }
        return null;
    }

    private void grow() {
        Node[] grown = new Node[buckets.length * 2];
        for (Node bucket : buckets) {
            for (Node node = bucket, next; node != null; node = next) {
                next = node.next;
                int to = bucketOf(node.key, grown.length);
                node.next = grown[to];
                grown[to] = node;
            }
        }
        buckets = grown;
    }

    private static int bucketOf(Object key, int buckets) {
        return (key.hashCode() & 0x7fffffff) % buckets;
    }
}
