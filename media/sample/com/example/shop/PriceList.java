package com.example.shop;

import java.util.HashMap;
import java.util.Map;

/** All prices behind one lock: whoever reads a price while the clerk changes them waits. */
final class PriceList {
    private static final int THINGS = 400;
    private final Map<String, Integer> cents = new HashMap<>();

    PriceList() {
        for (int i = 0; i < THINGS; i++) cents.put("thing " + i, 100 + i);
    }

    synchronized int priceOf(String thing) {
        return cents.getOrDefault(thing, 0);
    }

    synchronized String[] things() {
        return cents.keySet().toArray(new String[0]);
    }

    /** Holds the lock for about 5 ms of work. */
    synchronized void reprice(int round) {
        long until = System.nanoTime() + 5_000_000;
        while (System.nanoTime() < until) {
            for (Map.Entry<String, Integer> entry : cents.entrySet()) {
                entry.setValue(inflate(entry.getValue(), round));
            }
        }
    }

    private static int inflate(int price, int round) {
        int next = price;
        for (int i = 0; i < 20; i++) next = 100 + Math.floorMod(next * 31 + round + i, 9_900);
        return next;
    }
}
