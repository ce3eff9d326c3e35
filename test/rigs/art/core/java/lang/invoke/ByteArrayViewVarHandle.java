package java.lang.invoke;

final class ByteArrayViewVarHandle extends VarHandle {

    private boolean nativeByteOrder;
}
