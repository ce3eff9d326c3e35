package java.lang.invoke;

final class ByteBufferViewVarHandle extends VarHandle {

    private boolean nativeByteOrder;
}
