package com.example.shop;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Finds things by how much their names are like what is asked for. The slowest part of the shop. */
final class Search {
    private final PriceList prices;

    Search(PriceList prices) {
        this.prices = prices;
    }

    List<String> find(String wanted) {
        String[] things = prices.things();
        Arrays.sort(things, Comparator.comparingInt(thing -> distance(thing, wanted)));
        return List.of(things).subList(0, 3);
    }

    /** How many letters have to change to make one word of the other. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) row[j] = j;
        for (int i = 1; i <= a.length(); i++) {
            int corner = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = corner + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                corner = row[j];
                row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
