#pragma once
// The smallest test harness that does: cases register themselves, a failed check names its place and ends the case.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace harness {

struct Case {
  const char* name;
  void (*run)();
};
inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}
struct Register {
  Register(const char* name, void (*run)()) { cases().push_back({name, run}); }
};

struct Failure {
  std::string what;
};

inline std::string show(const std::string& value) {
  return value;
}
inline std::string show(const char* value) {
  return value ? value : "(null)";
}
inline std::string show(bool value) {
  return value ? "true" : "false";
}
template <class T>
  requires(std::is_enum_v<T>)
std::string show(T value) {
  return std::to_string(static_cast<long long>(value));
}
template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
std::string show(T value) {
  return std::to_string(value);
}

// In main.cc, and given plain pointers: there are a thousand checks, and what stands in each takes time to compile.
[[noreturn]] void fail(const char* file, int line, const char* what);
[[noreturn]] inline void fail(const char* file, int line, const std::string& what) {
  fail(file, line, what.c_str());
}
[[noreturn]] void differ(const char* file, int line, const char* text, const std::string& actual,
                         const std::string& expected);

template <class A, class B>
[[gnu::noinline]] void equal(const A& actual, const B& expected, const char* text, const char* file, int line) {
  if (actual == expected) return;
  differ(file, line, text, show(actual), show(expected));
}

}  // namespace harness

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define TEST(name)                                                                       \
  static void JOIN(test_, __LINE__)();                                                   \
  static const harness::Register JOIN(register_, __LINE__){name, JOIN(test_, __LINE__)}; \
  static void JOIN(test_, __LINE__)()
#define CHECK(condition)                                                          \
  do                                                                              \
    if (!(condition)) harness::fail(__FILE__, __LINE__, "not true: " #condition); \
  while (0)
#define CHECK_EQUAL(actual, expected) harness::equal((actual), (expected), #actual, __FILE__, __LINE__)
