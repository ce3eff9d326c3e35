package java.lang.invoke;

final class FieldVarHandle extends VarHandle {

    private long artField;
}
