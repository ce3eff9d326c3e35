// A program that records itself by the library that is loaded with it. Its argument: the file.
#include "libsystem.h"

namespace {

volatile uint64_t g_sum;

template <class Function>
Function* of_library(const char* name) {
  void* const everywhere = reinterpret_cast<void*>(-2);
  return reinterpret_cast<Function*>(dlsym(everywhere, name));
}

void spend(int64_t ns) {
  for (const int64_t until = cpu_ns() + ns; cpu_ns() < until;)
    for (int i = 0; i < 1000; i++) g_sum = g_sum + static_cast<uint64_t>(i);
}

}  // namespace

FUNCTION void in_recording() {
  spend(300'000'000);
  asm volatile("");
}

extern "C" int main(int, char** arguments) {
  auto start = of_library<int(const char*)>("btrace_start");
  auto marker = of_library<void(const char*)>("btrace_marker");
  auto stop = of_library<int()>("btrace_stop");
  auto dump = of_library<int(const char*)>("btrace_dump");
  auto problem = of_library<const char*(int)>("btrace_problem");
  const int started = start(arguments[1]);
  in_recording();
  marker("done");
  const int stopped = stop();
  printf("%d %d %s\n", started, stopped, problem(dump(arguments[1])));
  fflush(nullptr);
  return 0;
}
