package java.lang.invoke;

class FieldVarHandle extends VarHandle {
    private long artField;
}
