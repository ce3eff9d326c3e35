package java.nio.charset;

public abstract class Charset {}
