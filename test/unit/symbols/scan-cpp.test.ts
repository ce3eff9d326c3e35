import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { declaredName } from '../../../src/symbols/native/declared-name.js';
import { scanCpp } from '../../../src/symbols/scan/cpp.js';

function functions(text: string): string[] {
  return scanCpp(text).declarations.map(
    (one) => `${one.name}/${String(one.parameters)} ${String(one.line + 1)}-${String(one.endLine + 1)}`,
  );
}

describe('C and C++ declarations', () => {
  it('finds functions with a body, in namespaces and classes', () => {
    const text = `#include <vector>
#define BRACE {
namespace shop::core {
namespace {
int hidden(int a) { return a; }
}
class API Cart final : public Base<int> {
 public:
  explicit Cart(int n) : Base(n), lines_{1, 2}, count_(n) {
    if (n) { }
  }
  ~Cart() override;
  int total() const noexcept { return 0; }
  template <typename T> auto map(T f, int x = g(1, 2)) -> decltype(f(1)) { return f(x); }
  bool operator==(const Cart& other) const { return true; }
  int operator()(int a, int b) { return a; }
  struct Line { int price() { return 1; } } first;
  enum class Kind { A, B };
  int lines_[2] = {1, 2};
};
Cart::~Cart() {}
template <> std::vector<int> Box<int>::get(std::map<int, int> m) { return {}; }
}
extern "C" {
JNIEXPORT void JNICALL Java_a_b(JNIEnv* env, jobject) {
}
}
static int (*table[])(int) = { f, g };
int main(int argc, char** argv) { auto f = [] { return 1; }; struct L { void no() {} }; }
void declared(int);
`;
    assert.deepEqual(functions(text), [
      'shop::core::hidden/1 5-5',
      'shop::core::Cart::Cart/1 9-11',
      'shop::core::Cart::total/0 13-13',
      'shop::core::Cart::map/2 14-14',
      'shop::core::Cart::operator==/1 15-15',
      'shop::core::Cart::operator()/2 16-16',
      'shop::core::Cart::Line::price/0 17-17',
      'shop::core::Cart::~Cart/0 21-21',
      'shop::core::Box::get/1 22-22',
      'Java_a_b/2 25-26',
      'main/2 29-29',
    ]);
  });

  it('names operators of all kinds, and specializations, as the linker tells them', () => {
    const text = `struct A {
  operator bool() const { return true; }
  explicit operator const char*() { return ""; }
  operator std::vector<int>() const { return {}; }
  operator unsigned int&();
  void* operator new(size_t n) { return get(n); }
  void operator delete[](void* p) {}
  A* operator->() { return this; }
  bool ready() const { return true; }
};
template <> long twice<long>(long a) { return a; }
long double operator""_km(long double v) { return v; }
bool operator>(const A& a, const A& b) { return false; }
`;
    assert.deepEqual(functions(text), [
      'A::operator bool/0 2-2',
      'A::operator char const*/0 3-3',
      'A::operator std::vector/0 4-4',
      'A::operator new/1 6-6',
      'A::operator delete[]/1 7-7',
      'A::operator->/0 8-8',
      'A::ready/0 9-9',
      'twice/1 11-11',
      'operator"" _km/1 12-12',
      'operator>/2 13-13',
    ]);
    const recorded = [
      'A::operator bool() const (libwork.so)',
      'A::operator char const*() (libwork.so)',
      'A::operator std::vector<int, std::allocator<int> >() const (libwork.so)',
      'A::operator new(unsigned long) (libwork.so)',
      'A::operator delete[](void*) (libwork.so)',
      'A::operator->() (libwork.so)',
      'A::ready() const (libwork.so)',
      'long twice<long>(long) (libwork.so)',
      'operator"" _km(long double) (libwork.so)',
      'operator>(A const&, A const&) (libwork.so)',
    ].map((name) => declaredName(name).name);
    assert.deepEqual(
      recorded,
      scanCpp(text).declarations.map(({ name }) => name),
    );
  });

  it('takes one branch of a condition, so that braces pair', () => {
    const text = `#if A
void a() {
#else
void b() {
#endif
}
#if 0
void dead() { {
#else
void live() {}
#endif
#define LONG(x) do { \\
  } } while (0)
void last() { const char* s = R"x( } " )x"; int n = 1'000'000; char c = '\\''; }
`;
    assert.deepEqual(functions(text), ['a/0 2-6', 'live/0 10-10', 'last/0 14-14']);
  });

  it('ends for whatever is given, at any place it is cut', () => {
    const text =
      'namespace a { template <class T> struct B : C<T> { B() : d{1} {} int operator<(B& e) { return 1; } }; } #if 0\n int f = { 1 }; [[x]] void g() noexcept(true) { R"y(h)y"; } ';
    for (let cut = 0; cut <= text.length; cut++) scanCpp(text.slice(0, cut));
    for (let cut = 0; cut <= text.length; cut++) scanCpp(text.slice(cut));
  });
});
