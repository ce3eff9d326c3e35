package java.util;

public class Collections {

    public static final List EMPTY_LIST = new ArrayList();
}
