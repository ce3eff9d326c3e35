package java.util;

public class ArrayList<E> implements List<E> {

    private Object[] elements = new Object[10];
    private int size;

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public boolean add(E element) {
        if (size == elements.length) {
            Object[] grown = new Object[size * 2];
            System.arraycopy((Object) elements, 0, (Object) grown, 0, size);
            elements = grown;
        }
        elements[size++] = element;
        return true;
    }

    @SuppressWarnings("unchecked")
    public E get(int index) {
        check(index);
        return (E) elements[index];
    }

    public E set(int index, E element) {
        E old = get(index);
        elements[index] = element;
        return old;
    }

    public E remove(int index) {
        E old = get(index);
        System.arraycopy((Object) elements, index + 1, (Object) elements, index, --size - index);
        elements[size] = null;
        return old;
    }

    public void clear() {
        for (int i = 0; i < size; i++) elements[i] = null;
        size = 0;
    }

    public Iterator<E> iterator() {
        return new Iterator<E>() {
            private int next;

            public boolean hasNext() {
                return next < size;
            }

            public E next() {
                return get(next++);
            }
        };
    }

    private void check(int index) {
        if (index < 0 || index >= size) throw new IndexOutOfBoundsException("index " + index + " of " + size);
    }
}
