package com.example.shop;

class Coin {
    /** Of the other module: below, where the first one has something else. */
    private int mint;

    int year() {
        return mint;
    }

    private static int checked(int cents) {
        return cents % 2;
    }

    int round(int cents) {
        return checked(cents) + year();
    }
}
