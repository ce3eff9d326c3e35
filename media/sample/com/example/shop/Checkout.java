package com.example.shop;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Adds up a basket and signs the receipt, with more care than is needed. */
final class Checkout {
    private final PriceList prices;

    Checkout(PriceList prices) {
        this.prices = prices;
    }

    String pay(Basket basket) {
        int total = basket.total(prices);
        return sign(receipt(basket, total));
    }

    private static String receipt(Basket basket, int total) {
        StringBuilder text = new StringBuilder();
        for (int copy = 0; copy < 20; copy++) text.append(copy).append(": ").append(basket).append(" = ").append(total);
        return text.toString();
    }

    private static String sign(String receipt) {
        try {
            byte[] signature = receipt.getBytes(StandardCharsets.UTF_8);
            for (int round = 0; round < 200; round++) {
                signature = MessageDigest.getInstance("SHA-256").digest(signature);
            }
            return Integer.toHexString(signature[0]);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
