package java.lang.reflect;

public interface Member {}
