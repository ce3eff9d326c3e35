package com.example.shop;

/** The sources that the recordings of these tests are about. */
public class Till {
    private int sum;

    void ring(int cents) {
        for (int i = 0; i < cents; i++) sum += count(i);
    }

    private int count(int coin) {
        return coin % 7;
    }

    void idle() throws InterruptedException {
        Thread.sleep(100);
    }
}
