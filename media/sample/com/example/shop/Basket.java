package com.example.shop;

import java.util.LinkedHashMap;
import java.util.Map;

final class Basket {
    private final Map<String, Integer> pieces = new LinkedHashMap<>();

    void add(String thing, int count) {
        pieces.merge(thing, count, Integer::sum);
    }

    int total(PriceList prices) {
        int cents = 0;
        for (Map.Entry<String, Integer> entry : pieces.entrySet()) {
            cents += prices.priceOf(entry.getKey()) * entry.getValue();
        }
        return cents;
    }

    @Override
    public String toString() {
        return pieces.toString();
    }
}
