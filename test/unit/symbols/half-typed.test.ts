/** What is being typed hides nothing that stands above or below it: after each letter all other declarations are found. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { scanDeclarations, type Declaration, type Scanned } from '../../../src/symbols/scan/declarations.js';
import { withoutLosses, type OutlinedText } from '../../../src/symbols/scan/half-typed.js';
import type { Language } from '../../../src/symbols/scan/tokens.js';

/** A line of its own may come in where a "•" is. */
interface Sample {
  readonly language: Language;
  readonly text: string;
  readonly typed: readonly string[];
}

const java: Sample = {
  language: 'java',
  text: `package a;
•
class Shop {
•
  private int count = 1;
•
  Shop(int a) { this.count = a; }
•
  public Shop() {}
•
  @Override public String toString() { return "" + count; }
•
  <T extends Shop> List<T> all(Map<String, T> a) throws IOException { return null; }
•
  Runnable later = new Runnable() {
    @Override public void run() { }
  };
•
  static class Cart { int total(int[] a) { return 0; } }
•
  static { }
•
  int last() { return 1; }
•
}
`,
  typed: [
    'private static <T> Map<String, List<T>> half(@Named("a") int a, String... b) throws A, b.C { if (a > 0) { g("x}"); } return new int[] {1}; }',
    'protected final List<String> names = find(a > b ? "{" : c.d[1], x -> { return 1; });',
    'int sizes[] = {1, 2}, other;',
    'static final class Half<T> extends b.Base<T> implements Runnable, c.D { void run() { } }',
    'interface Half { int half(int a); default int two() { return 2; } }',
    '@interface Half { String half() default "a"; int[] two() default {1}; }',
    'record Half(int a, String b) implements Runnable { Half { } }',
    'enum Half { A, B(1) { void b() { } }; Half() { } }',
    '@SuppressWarnings({"a", "b"}) @Deprecated',
    '/** A ( comment { of * one. */ // and another {',
    'char c = \'{\'; String s = "(";',
  ],
};

const kotlin: Sample = {
  language: 'kotlin',
  text: `package a

•
class Shop(val a: Int) {
•
  constructor() : this(1)
•
  val total: Int
    get() = 1
•
  @Named("x") fun String.shout(): String = uppercase()
•
  private inline fun <reified T> all(a: Map<String, T>): List<T> {
    return listOf()
  }
•
  companion object { fun of() = Shop() }
•
  fun last() {}
•
}
•
fun top(a: Int = 1) = a
•
object Single { fun one() {} }
•
`,
  typed: [
    'private suspend fun <T> List<T>.half(a: Int = 1, b: (Int) -> Unit): Map<String, T> where T : Any { b(a); return "${f("}")}" }',
    'fun half(a: Int): List<Int> = listOf(a).map { it > 1 }.filter(::ok)',
    'val half: List<String> = find("{", 1)',
    'var half by lazy { compute() }',
    'class Half<T>(val a: Int) : Base<T>(a), Runnable { override fun run() { } }',
    'data class Half(val a: Int)',
    'enum class Half(val a: Int) { A(1), B(2) { override fun b() = 1 }; fun half() = a }',
    'interface Half { fun half(): Int }',
    'object Half : Base() { val x = 1 }',
    '@Suppress("a", "b") @get:Named("x")',
    '/** A ( comment { /* of */ two. */ // and another {',
  ],
};

const cpp: Sample = {
  language: 'cpp',
  text: `#include <vector>
•
namespace shop {
•
static int first(int a) { return a; }
•
class Cart : public Base {
 public:
•
  explicit Cart(int n) : Base(n), lines_{1} { }
•
  Cart() { }
•
  ~Cart() { }
•
  std::vector<int> all(std::map<int, int> a) const noexcept { return {}; }
•
  bool operator==(const Cart& other) const { return true; }
•
  Cart* next(int a) { return this; }
•
};
•
Cart::Cart(long n) : Base(n) { }
•
std::string Cart::name() const { return ""; }
•
template <typename T> auto map(T f) -> decltype(f(1)) { return f(1); }
•
}
•
struct Point { int x() { return 1; } };
•
int main(int argc, char** argv) { return 0; }
•
`,
  typed: [
    'static const std::vector<int>& half(int a, std::map<int, int> b = {}) noexcept { if (a > 0) { g("x}"); } return b[1]; }',
    'Half::Half(int a) : Base(a), b_{1} { }',
    'auto half(int a) const -> std::vector<int> override { return {}; }',
    'template <class T, int N = 1> T half(T a) { return a < N ? a : N; }',
    'static const int half = find(a > b ? 1 : 2)[0];',
    'int half[] = {1, 2};',
    'auto half = [](int a) { return a; };',
    'class Half final : public Base<int> { public: Half() { } int a = 1; };',
    'enum class Half : int { A, B };',
    'namespace half { int b; }',
    'using half = std::vector<int>;',
    '#include "half.h"',
    '#define HALF(a) { a',
    '/* A ( comment { of one. */ // and another {',
  ],
};

describe('what is being typed', () => {
  const shown = (now: string, before: string): string[] => {
    const outlined = (text: string): OutlinedText => ({
      text,
      ...scanDeclarations(text, 'java', 'Shop.java'),
    });
    return methodsOf(withoutLosses(outlined(now), outlined(before)));
  };

  it('takes the place of what stood on its line, and moves what stands below', () => {
    const before = 'class Shop {\n  void one() {}\n  void two() {\n  }\n  void three() {}\n}\n';
    assert.deepEqual(shown(before.replace('two', 'deux'), before), [
      'Shop.one/0 2:7',
      'Shop.deux/0 3:7',
      'Shop.three/0 5:7',
    ]);
    assert.deepEqual(shown(before.replace('  void two', '  // void two'), before), [
      'Shop.one/0 2:7',
      'Shop.three/0 5:7',
    ]);
    assert.deepEqual(shown(before.replace('  void two', '  int half(\n  void two'), before).slice(-2), [
      'Shop.two/0 4:7',
      'Shop.three/0 6:7',
    ]);
    assert.deepEqual(shown(before.replace('  void two() {\n  }\n', ''), before), [
      'Shop.one/0 2:7',
      'Shop.three/0 3:7',
    ]);
    assert.deepEqual(shown('', before), []);
  });

  for (const { language, text, typed } of [java, kotlin, cpp]) {
    const file = language === 'kotlin' ? 'shop.kt' : 'Shop.java';
    const scan = (one: string): Scanned => scanDeclarations(one, language, file);
    const lines = text.split('\n');
    const places = lines.flatMap((line, at) => (line === '•' ? [at] : []));
    const whole = text.replaceAll('•', '');
    const before = scan(whole);

    for (const snippet of typed) {
      it(`hides nothing: ${snippet}`, () => {
        for (const place of places) {
          const at = lines.slice(0, place).join('\n').replaceAll('•', '').length + 1;
          for (let length = 1; length <= snippet.length; length++) {
            const part = snippet.slice(0, length);
            // By hand, and with the brackets closed by the editor.
            for (const typed of new Set([part, part + closing(part)])) {
              const now = whole.slice(0, at) + typed + whole.slice(at);
              const shown = methodsOf(withoutLosses({ text: now, ...scan(now) }, { text: whole, ...before }));
              const missing = methodsOf(before.declarations).filter((one) => !shown.includes(one));
              assert.deepEqual(missing, [], `line ${String(place + 1)}: ${typed}`);
            }
          }
        }
      });
    }
  }
});

/** What has a lens, and where. */
function methodsOf(declarations: readonly Declaration[]): string[] {
  return declarations
    .filter(({ kind }) => kind !== 'class')
    .map(
      ({ className, name, parameters, line, column }) =>
        `${className}.${name}/${String(parameters)} ${String(line + 1)}:${String(column)}`,
    );
}

/** What an editor puts in after the cursor. */
function closing(part: string): string {
  const open: string[] = [];
  let quote = '';
  for (const [at, c] of Array.from(part).entries()) {
    if (quote !== '') {
      if (c === quote) quote = '';
    } else if (c === '"' || c === "'") quote = c;
    else if (part.startsWith('//', at) || part.startsWith('/*', at) || (at === 0 && c === '#')) return '';
    else if (c === '(') open.unshift(')');
    else if (c === '[') open.unshift(']');
    else if (c === '{') open.unshift('}');
    else if (c === open[0]) open.shift();
  }
  return quote + open.join('');
}
