package dalvik.annotation.optimization;

@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.CLASS) public @interface NeverInline {}
