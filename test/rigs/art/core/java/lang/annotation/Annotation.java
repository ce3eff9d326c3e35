package java.lang.annotation;

public interface Annotation {
    Class<? extends Annotation> annotationType();
}
