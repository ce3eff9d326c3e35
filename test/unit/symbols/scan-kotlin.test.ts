import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { scanKotlin } from '../../../src/symbols/scan/kotlin.js';

/** "Class.name/parameters line-endLine" of each declaration that is no class. */
function methods(text: string, baseName = 'shop.kt'): string[] {
  return scanKotlin(text, baseName)
    .declarations.filter((one) => one.kind !== 'class')
    .map(
      (one) =>
        `${one.className}.${one.name}/${String(one.parameters)} ${String(one.line + 1)}-${String(one.endLine + 1)}`,
    );
}

describe('Kotlin declarations', () => {
  it('finds functions of a file, with and without braces', () => {
    const text = `package com.example

import kotlin.math.*

fun main(args: Array<String>) {
  println("x")
}
private fun twice(n: Int) = n * 2
internal inline fun <reified T : Any> find(list: List<T>): T? =
  list
    .firstOrNull { it is T }
@Suppress("x") suspend fun last(): Unit {}
`;
    assert.equal(scanKotlin(text, 'shop.kt').packageName, 'com.example');
    assert.deepEqual(methods(text), [
      'ShopKt.main/1 5-7',
      'ShopKt.twice/1 8-8',
      'ShopKt.find/1 9-11',
      'ShopKt.last/0 12-12',
    ]);
  });

  it('takes the name that the file gives its class', () => {
    assert.deepEqual(methods('@file:JvmName("Tools")\npackage a\nfun f() {}\n'), ['Tools.f/0 3-3']);
    assert.deepEqual(methods('fun f() {}\n', 'my-tools.kt'), ['My_toolsKt.f/0 1-1']);
  });

  it('counts the receiver of an extension as a parameter', () => {
    const text = `fun String.shout(): String = uppercase()
fun <T> Map<String, List<T>>.flat(depth: Int): List<T> { return listOf() }
fun Cart.Line?.price() = 0
fun (() -> Unit).twice() { this(); this() }
fun \`with spaces\`(a: Int, b: (Int, Int) -> Int = { x, y -> x + y }) {}
`;
    assert.deepEqual(methods(text), [
      'ShopKt.shout/1 1-1',
      'ShopKt.flat/2 2-2',
      'ShopKt.price/1 3-3',
      'ShopKt.twice/1 4-4',
      'ShopKt.with spaces/2 5-5',
    ]);
  });

  it('reads classes, constructors, companions and objects', () => {
    const text = `class Cart private constructor(val a: Int, b: String = "x") : Base<Int>(a), Runnable by Idle() {
  init { check(a > 0) }
  constructor(c: Long) : this(c.toInt(), "y") {
    log()
  }
  override fun run() {
    work()
  }
  inner class Line { fun price() = 1 }
  companion object {
    @JvmStatic fun of(n: Int): Cart = Cart(n.toLong())
  }
  companion object Named : Factory { fun make() {} }
}
data class Point(val x: Int, val y: Int)
class Plain
object Single { fun one() {} }
interface Shape { fun area(): Double
  fun name(): String = "shape" }
sealed class Result { object Ok : Result(); class Bad(val why: String) : Result() { fun text() = why } }
fun after() {}
`;
    assert.deepEqual(methods(text), [
      'Cart.<init>/2 1-1',
      'Cart.<init>/-1 2-2',
      'Cart.<init>/1 3-5',
      'Cart.run/0 6-8',
      'Cart$Line.price/0 9-9',
      'Cart$Companion.of/1 11-11',
      'Cart$Named.make/0 13-13',
      'Point.<init>/2 15-15',
      'Single.one/0 17-17',
      'Shape.area/0 18-18',
      'Shape.name/0 19-19',
      'Result$Bad.<init>/1 20-20',
      'Result$Bad.text/0 20-20',
      'ShopKt.after/0 21-21',
    ]);
  });

  it('reads properties with accessors', () => {
    const text = `class A {
  val total: Int
    get() = lines.sumOf { it.price }
  var isOpen = false
    get() { return field }
    private set(value) {
      field = value
    }
  val lazyOne by lazy { compute() }
  fun last() = total
}
val top: String get() = "x"
`;
    assert.deepEqual(methods(text), [
      'A.getTotal/0 3-3',
      'A.isOpen/0 5-5',
      'A.setOpen/1 6-8',
      'A.last/0 10-10',
      'ShopKt.getTop/0 12-12',
    ]);
  });

  it('reads accessors on the line of their property', () => {
    const text = `interface A {
  val size: Int get() = 1
  val isReady get() = true
  open val names: Map<String, (Int) -> List<Int>>? get() { return null }
  val getter: () -> Int = { get(1) }
  val String.half: String get() = take(length / 2)
  var level: Int get() = 1
    set(value) { store(value) }
  var later = 1; private set
  fun last() {}
}
`;
    assert.deepEqual(methods(text), [
      'A.getSize/0 2-2',
      'A.isReady/0 3-3',
      'A.getNames/0 4-4',
      'A.getHalf/0 6-6',
      'A.getLevel/0 7-7',
      'A.setLevel/1 8-8',
      'A.last/0 10-10',
    ]);
  });

  it('takes the names that JvmName gives', () => {
    const text = `class A {
  @JvmName("sum") internal fun total() = 1
  @Throws(E::class) @JvmName("sumOf")
  fun total(list: List<Int>) = 2
  @get:JvmName("size") @set:JvmName("resize") var count: Int
    get() = 3
    set(value) {}
  val first: Int
    @JvmName("head") get() = 4
  fun plain() {}
}
`;
    assert.deepEqual(methods(text), [
      'A.sum/0 2-2',
      'A.sumOf/1 4-4',
      'A.size/0 6-6',
      'A.resize/1 7-7',
      'A.head/0 9-9',
      'A.plain/0 10-10',
    ]);
    assert.deepEqual(
      methods('@file:JvmMultifileClass\n@file:JvmName("Tools")\npackage a\nfun f() {}\n', 'text.kt'),
      ['Tools__TextKt.f/0 4-4'],
    );
  });

  it('reads functions that want a context', () => {
    const text = `context(log: Log, db: Db) fun save() {}
context(Log)
private fun load() = 1
val a =
  context(1)
fun last() {}
`;
    assert.deepEqual(methods(text), ['ShopKt.save/0 1-1', 'ShopKt.load/0 3-3', 'ShopKt.last/0 6-6']);
  });

  it('reads local functions, anonymous objects and enums', () => {
    const text = `enum class Op(val sign: String) : F {
  PLUS("+") { override fun apply(a: Int, b: Int) = a + b },
  MINUS("-") {
    override fun apply(a: Int, b: Int) = a - b
  };
  abstract fun apply(a: Int, b: Int): Int
  fun text() = sign
}
fun outer() {
  fun inner(n: Int): Int = if (n > 0) inner(n - 1) else 0
  val r = object : Runnable {
    override fun run() { inner(1) }
  }
  list.map { x -> object : Comparator<Int> { override fun compare(a: Int, b: Int) = a - b } }
  val f = fun(x: Int): Int { return x }
}
`;
    assert.deepEqual(methods(text), [
      'Op.<init>/1 1-1',
      'Op$PLUS.apply/2 2-2',
      'Op$MINUS.apply/2 4-4',
      'Op.apply/2 6-6',
      'Op.text/0 7-7',
      'ShopKt.outer/0 9-16',
      'ShopKt$.inner/1 10-10',
      'ShopKt$.run/0 12-12',
      'ShopKt$.compare/2 14-14',
    ]);
  });

  it('is not fooled by strings with templates, raw strings and nested comments', () => {
    const text = `fun a() { val s = "fun no() { \${ if (x) "}" else "{ \${y} {" } }" }
/* fun no() { /* nested } */ { */
fun b() = """
  fun no() { \${ f("}") } "quotes" $
  """".length
fun c(ch: Char = '{') {} // }
fun d() {}
`;
    assert.deepEqual(methods(text), ['ShopKt.a/0 1-1', 'ShopKt.b/0 3-5', 'ShopKt.c/1 6-6', 'ShopKt.d/0 7-7']);
  });

  it('does not take words in expressions for members', () => {
    const text = `class A {
  fun a() = map.get(1)
  val x = Shop::class
  fun b(get: Int, set: Int, init: Int) = get + set + init
  fun c(): Any =
    object : Any() { fun inside() {} }
  fun d() = when (x) { is Foo -> 1; else -> value.open }
  fun interface Block { fun run() }
}
`;
    assert.deepEqual(methods(text), [
      'A.a/0 2-2',
      'A.b/3 4-4',
      'A.c/0 5-6',
      'A$.inside/0 6-6',
      'A.d/0 7-7',
      'A$Block.run/0 8-8',
    ]);
  });

  it('ends for whatever is given, at any place it is cut', () => {
    const text =
      '@file:A("x") package a; class B<T>(val c: Int = f({ 1 })) : D(), E by g { enum class H { I { fun j() {} }; } val k: L get() = "${m("}")}" companion object { fun n() = object : O {} } init { } constructor(p: Q) : this() {} } fun <R> S.t(u: V): W where R : X = """$y""" ';
    for (let cut = 0; cut <= text.length; cut++) scanKotlin(text.slice(0, cut), 'a.kt');
    for (let cut = 0; cut <= text.length; cut++) scanKotlin(text.slice(cut), 'a.kt');
  });
});
