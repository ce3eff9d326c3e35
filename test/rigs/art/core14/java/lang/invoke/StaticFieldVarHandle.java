package java.lang.invoke;

final class StaticFieldVarHandle extends FieldVarHandle {
    private Class<?> declaringClass;
}
