package java.lang.invoke;

final class ArrayElementVarHandle extends VarHandle {}
