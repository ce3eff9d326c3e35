package android.os;

public final class Message {

    public int what;
    public Object obj;
    long when;
    Handler target;
    Runnable callback;
    Message next;

    public static Message obtain(Handler target, int what, Object obj) {
        Message message = new Message();
        message.target = target;
        message.what = what;
        message.obj = obj;
        return message;
    }

    public Handler getTarget() {
        return target;
    }
}
