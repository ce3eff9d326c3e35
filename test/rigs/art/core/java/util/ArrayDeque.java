package java.util;

/** A ring that doubles when it is full. Null is no element: poll() says with it that there is none. */
public class ArrayDeque<E> implements Collection<E> {

    private Object[] elements = new Object[16];
    private int head;
    private int size;

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public boolean add(E element) {
        addLast(element);
        return true;
    }

    public void addLast(E element) {
        if (element == null) throw new NullPointerException("element");
        if (size == elements.length) grow();
        elements[(head + size++) % elements.length] = element;
    }

    public void addFirst(E element) {
        if (element == null) throw new NullPointerException("element");
        if (size == elements.length) grow();
        head = (head + elements.length - 1) % elements.length;
        elements[head] = element;
        size++;
    }

    public E peek() {
        return size == 0 ? null : at(0);
    }

    public E poll() {
        if (size == 0) return null;
        E first = at(0);
        elements[head] = null;
        head = (head + 1) % elements.length;
        size--;
        return first;
    }

    public void clear() {
        while (poll() != null) {}
    }

    public Iterator<E> iterator() {
        return new Iterator<E>() {
            private int next;

            public boolean hasNext() {
                return next < size;
            }

            public E next() {
                return at(next++);
            }
        };
    }

    @SuppressWarnings("unchecked")
    private E at(int index) {
        return (E) elements[(head + index) % elements.length];
    }

    private void grow() {
        Object[] grown = new Object[elements.length * 2];
        for (int i = 0; i < size; i++) grown[i] = at(i);
        elements = grown;
        head = 0;
    }
}
