package java.lang;

public abstract class ClassValue<T> {}
