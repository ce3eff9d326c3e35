package com.example.shop;

/** Another module has a class of the same name. */
class Coin {
    int round(int cents) {
        Runnable rounding = () -> System.out.println(cents);
        return cents / 5 * 5;
    }

    int weigh(int cents) {
        return cents * 3;
    }
}
