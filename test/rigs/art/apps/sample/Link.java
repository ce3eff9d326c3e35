package sample;

import java.util.Iterator;
import java.util.function.Consumer;

/** A stretch of a chain of calls; each loader of classes has one of its own, with 32 methods. */
public final class Link implements Consumer<Iterator<Consumer<Object>>> {

    public void accept(Iterator<Consumer<Object>> rest) {
        a01(rest);
    }

    private void a01(Iterator<Consumer<Object>> rest) {
        a02(rest);
    }

    private void a02(Iterator<Consumer<Object>> rest) {
        a03(rest);
    }

    private void a03(Iterator<Consumer<Object>> rest) {
        a04(rest);
    }

    private void a04(Iterator<Consumer<Object>> rest) {
        a05(rest);
    }

    private void a05(Iterator<Consumer<Object>> rest) {
        a06(rest);
    }

    private void a06(Iterator<Consumer<Object>> rest) {
        a07(rest);
    }

    private void a07(Iterator<Consumer<Object>> rest) {
        a08(rest);
    }

    private void a08(Iterator<Consumer<Object>> rest) {
        a09(rest);
    }

    private void a09(Iterator<Consumer<Object>> rest) {
        a10(rest);
    }

    private void a10(Iterator<Consumer<Object>> rest) {
        a11(rest);
    }

    private void a11(Iterator<Consumer<Object>> rest) {
        a12(rest);
    }

    private void a12(Iterator<Consumer<Object>> rest) {
        a13(rest);
    }

    private void a13(Iterator<Consumer<Object>> rest) {
        a14(rest);
    }

    private void a14(Iterator<Consumer<Object>> rest) {
        a15(rest);
    }

    private void a15(Iterator<Consumer<Object>> rest) {
        a16(rest);
    }

    private void a16(Iterator<Consumer<Object>> rest) {
        a17(rest);
    }

    private void a17(Iterator<Consumer<Object>> rest) {
        a18(rest);
    }

    private void a18(Iterator<Consumer<Object>> rest) {
        a19(rest);
    }

    private void a19(Iterator<Consumer<Object>> rest) {
        a20(rest);
    }

    private void a20(Iterator<Consumer<Object>> rest) {
        a21(rest);
    }

    private void a21(Iterator<Consumer<Object>> rest) {
        a22(rest);
    }

    private void a22(Iterator<Consumer<Object>> rest) {
        a23(rest);
    }

    private void a23(Iterator<Consumer<Object>> rest) {
        a24(rest);
    }

    private void a24(Iterator<Consumer<Object>> rest) {
        a25(rest);
    }

    private void a25(Iterator<Consumer<Object>> rest) {
        a26(rest);
    }

    private void a26(Iterator<Consumer<Object>> rest) {
        a27(rest);
    }

    private void a27(Iterator<Consumer<Object>> rest) {
        a28(rest);
    }

    private void a28(Iterator<Consumer<Object>> rest) {
        a29(rest);
    }

    private void a29(Iterator<Consumer<Object>> rest) {
        a30(rest);
    }

    private void a30(Iterator<Consumer<Object>> rest) {
        a31(rest);
    }

    private void a31(Iterator<Consumer<Object>> rest) {
        if (rest.hasNext()) rest.next().accept(rest);
    }
}
