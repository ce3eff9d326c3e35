package java.lang;

import java.io.Serializable;

public final class StackTraceElement implements Serializable {

    private String declaringClass;
    private String fileName;
    private int lineNumber;
    private String methodName;

    public StackTraceElement(String c, String m, String f, int l) {
        declaringClass = c;
        methodName = m;
        fileName = f;
        lineNumber = l;
    }

    public String getClassName() {
        return declaringClass;
    }

    public String getMethodName() {
        return methodName;
    }

    public int getLineNumber() {
        return lineNumber;
    }

    public String toString() {
        return declaringClass + "." + methodName + "(" + fileName + ":" + lineNumber + ")";
    }
}
