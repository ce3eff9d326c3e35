#include "base/tick.h"

#include "base/atomic.h"

namespace btrace {

namespace {

u64 measure() {
#if defined(__x86_64__)
  i64 begin_ns = now_ns();
  u64 begin = tick_now();
  sys::sleep_ns(2 * kNsPerMs);
  i64 ns = now_ns() - begin_ns;
  return max_of<u64>((tick_now() - begin) * 1024 / static_cast<u64>(ns), 1);
#elif defined(__aarch64__)
  u64 hz;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(hz));
  return max_of<u64>(hz * 1024 / kNsPerSecond, 1);
#else
  return 1024;
#endif
}

Atomic<u64> rate;

}  // namespace

u64 ticks_per_1024_ns() {
  u64 known = rate.load_relaxed();
  if (known) return known;
  known = measure();
  rate.store_relaxed(known);
  return known;
}

}  // namespace btrace
