package java.lang;

class StackFrameInfo {
    private int bci;
    private Class<?> declaringClass;
    private String fileName;
    private int lineNumber;
    private String methodName;
    private java.lang.invoke.MethodType methodType;
    private boolean retainClassRef;
    private StackTraceElement ste;
}
