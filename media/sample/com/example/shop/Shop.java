package com.example.shop;

import java.util.ArrayList;
import java.util.List;

/** A shop with a few customers, a clerk who changes prices and a cleaner: enough to see CPU, waiting and a lock, at less than half of a core. */
public final class Shop {
    private final PriceList prices = new PriceList();
    private final Search search = new Search(prices);
    private final Checkout checkout = new Checkout(prices);

    /** Arguments: how many seconds to stay open; without, until standard input ends. */
    public static void main(String[] args) throws Exception {
        Shop shop = new Shop();
        List<Thread> staff = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            int number = i;
            staff.add(new Thread(() -> shop.serveCustomers(number), "customer-" + i));
        }
        staff.add(new Thread(shop::changePrices, "clerk"));
        staff.add(new Thread(shop::sweepUp, "cleaner"));
        for (Thread thread : staff) {
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("open");
        if (args.length > 0) Thread.sleep((long) (Double.parseDouble(args[0]) * 1000));
        else while (System.in.read() >= 0) continue;
    }

    private void serveCustomers(int number) {
        for (int visit = number; ; visit++) {
            Basket basket = new Basket();
            for (String found : search.find("thing " + visit % 7)) basket.add(found, 1 + visit % 3);
            checkout.pay(basket);
            pause(10);
        }
    }

    private void changePrices() {
        for (int round = 0; ; round++) {
            prices.reprice(round);
            pause(45);
        }
    }

    private void sweepUp() {
        while (true) pause(50);
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
