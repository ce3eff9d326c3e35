// A library that calls functions of the C library: imports_test.cc redirects such a call, call_counts_test.cc counts
// them. It is built in three ways.
extern "C" int getppid();
extern "C" int snprintf(char*, unsigned long, const char*, ...);

extern "C" __attribute__((visibility("default"))) int btrace_test_parent() {
  return getppid();
}

// Arguments in all registers for numbers and for floating point, and on the stack.
extern "C" __attribute__((visibility("default"))) int btrace_test_format(char* to, unsigned long room, int first) {
  return snprintf(to, room, "%d %d %d %d %d %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f", first, first + 1,
                  first + 2, first + 3, first + 4, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5);
}
