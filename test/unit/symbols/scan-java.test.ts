import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { scanJava } from '../../../src/symbols/scan/java.js';

/** "Class.name/parameters line-endLine" of each declaration that is no class. */
function methods(text: string): string[] {
  return scanJava(text)
    .declarations.filter((one) => one.kind !== 'class')
    .map(
      (one) =>
        `${one.className}.${one.name}/${String(one.parameters)} ${String(one.line + 1)}-${String(one.endLine + 1)}`,
    );
}

describe('Java declarations', () => {
  it('finds methods, constructors and initializers, with their lines', () => {
    const text = `package com.example.shop;

import java.util.*;

public final class Shop extends Base implements Runnable {
    private static final int N = 3;
    static { System.out.println(); }
    { init(); }
    public Shop() {}
    protected Shop(int a, String... b) {
        super(a);
    }
    @Override
    public void run() {
        int[] x = {1, 2};
    }
    abstract <T extends Comparable<T>, U> Map<T, List<U>> sort(Map<T, U> a, int[] b) throws IOException;
    native long time();
}
`;
    assert.equal(scanJava(text).packageName, 'com.example.shop');
    assert.deepEqual(methods(text), [
      'Shop.<clinit>/-1 7-7',
      'Shop.<init>/-1 8-8',
      'Shop.<init>/0 9-9',
      'Shop.<init>/2 10-12',
      'Shop.run/0 14-16',
      'Shop.sort/2 17-17',
      'Shop.time/0 18-18',
    ]);
  });

  it('is not fooled by comments, strings, characters and text blocks', () => {
    const text = `class A {
  // void no() {
  /* void no() { } */
  String s = "void no() { \\" {";
  char c = '{', d = '\\'', e = '"';
  String t = """
      void no() { \\""" } class X {
      """;
  void yes() {} // }
  /** } */ void also() { String u = "}"; }
}
class B { void b() {} }
`;
    assert.deepEqual(methods(text), ['A.yes/0 9-9', 'A.also/0 10-10', 'B.b/0 12-12']);
  });

  it('names nested, inner, local and anonymous classes as the compiler does', () => {
    const text = `class Outer {
  class Inner { void a() {} static class Deep { Deep() {} } }
  interface I { default void b() {} void c(); }
  Runnable field = new Runnable() {
    @Override public void run() { }
  };
  void m() {
    call(1, x -> { return new Comparator<Map<String, int[]>>() {
      public int compare(Object a, Object b) { return 0; }
    }; });
    class Local { void d() {} }
    new Thread(() -> { work(); }).start();
  }
  void after() {}
}
`;
    assert.deepEqual(methods(text), [
      'Outer$Inner.a/0 2-2',
      'Outer$Inner$Deep.<init>/0 2-2',
      'Outer$I.b/0 3-3',
      'Outer$I.c/0 3-3',
      'Outer$.run/0 5-5',
      'Outer.m/0 7-13',
      'Outer$.compare/2 9-9',
      'Outer$$Local.d/0 11-11',
      'Outer.after/0 14-14',
    ]);
  });

  it('reads enums, records and annotation types', () => {
    const text = `enum Op implements F {
  @Deprecated PLUS("+", 1) { int apply(int a, int b) { return a + b; } },
  MINUS { int apply(int a, int b) { return a - b; } };
  final String s;
  Op() { s = ""; }
  Op(String s, int i) { this.s = s; }
  abstract int apply(int a, int b);
}
record Point(int x, int y) implements Comparable<Point> {
  Point { if (x < 0) throw new IllegalArgumentException(); }
  static Point origin() { return new Point(0, 0); }
}
@interface Note { String value() default "x"; int[] lines() default {1, 2}; Class<?> type() default Object.class; }
enum Empty { A, B }
class record { int record(int record) { int enumeration = record; return record; } }
`;
    assert.deepEqual(methods(text), [
      'Op$.apply/2 2-2',
      'Op$.apply/2 3-3',
      'Op.<init>/0 5-5',
      'Op.<init>/2 6-6',
      'Op.apply/2 7-7',
      'Point.<init>/-1 10-10',
      'Point.origin/0 11-11',
      'Note.value/0 13-13',
      'Note.lines/0 13-13',
      'Note.type/0 13-13',
      'record.record/1 15-15',
    ]);
  });

  it('reads annotations, generics and lambdas in fields', () => {
    const text = `class A<T extends B & C<? super T>> {
  @SuppressWarnings({"a", "{"}) @Named(value = @Inner(x = 1))
  public <R> Function<? super T, ? extends R> map(
      @NonNull final Function<T, Map<R, List<T>>> f, // (
      Supplier<R>[] more) {
    return null;
  }
  private final Comparator<T> order = (a, b) -> { return 0; };
  int[][] grid = {{1, 2}, {3}}, other = new int[][] {{1}};
  Class<?> type = A.class;
  void end() {}
}
`;
    assert.deepEqual(methods(text), ['A.map/2 3-7', 'A.end/0 11-11']);
  });

  it('tells constructors from methods of the same name', () => {
    assert.deepEqual(
      methods(
        'class A { @Inject A() {} <T> A(T t) {} List<A> A(int i) {} int[] A(long l) {} b.C A(byte b) {} }',
      ),
      ['A.<init>/0 1-1', 'A.<init>/1 1-1', 'A.A/1 1-1', 'A.A/1 1-1', 'A.A/1 1-1'],
    );
  });

  it('reads a text without a class, whose class is called after its file', () => {
    const text = `void main() { IO.println(helper()); }
int helper() { return 1; }
class Part { void turn() {} }
`;
    assert.deepEqual(
      scanJava(text, 'Main.java').declarations.map(({ className, name }) => `${className}.${name}`),
      ['Main.main', 'Main.helper', 'Main$Part.Part', 'Main$Part.turn'],
    );
    const spare = 'package a; class A { } } void b() {} class C { }';
    assert.deepEqual(
      scanJava(spare, 'A.java').declarations.map(({ className }) => className),
      ['A', 'C'],
    );
  });

  it('gives the column of the name', () => {
    const [one] = scanJava('class A {\n  void name() {}\n}').declarations.slice(1);
    assert.deepEqual([one?.line, one?.column, one?.endColumn], [1, 7, 11]);
  });

  it('ends for whatever is given, at any place it is cut', () => {
    const text =
      'package a.b; @X(y={1}) class A<T> extends B { enum E { F(1) { void g() {} }, H; } int i = new J<K>() { int l; }.m(); String s = """ " """; char c = \'x\'; record R(int z) {} void n(int... o) throws P { if (q) { } } }';
    for (let cut = 0; cut <= text.length; cut++) scanJava(text.slice(0, cut));
    for (let cut = 0; cut <= text.length; cut++) scanJava(text.slice(cut));
    assert.deepEqual(methods('}}} class A { void a() {} }}} class B { void b() {} }'), [
      'A.a/0 1-1',
      'B.b/0 1-1',
    ]);
  });
});
