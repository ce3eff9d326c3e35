package com.example.shop;

class Twice {
    void here() {}
}
