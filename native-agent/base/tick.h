#pragma once
// The gate's clock: a counter of the processor, 5–10 ns to read. The kernel's coarse clock steps by a scheduler tick, 4
// ms on many machines, which is too coarse for an interval of 1 ms; where there is no counter it is what is left.
#include "base/clock.h"

namespace btrace {

inline u64 tick_now() {
#if defined(__x86_64__)
  u32 low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high));
  return u64{high} << 32 | low;
#elif defined(__aarch64__)
  u64 ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return static_cast<u64>(coarse_now_ns());
#endif
}

// Ticks in 1,024 ns. Measured once in a process where the counter does not tell its own rate; that takes 2 ms.
u64 ticks_per_1024_ns();

inline u64 ns_to_ticks(i64 ns) {
  return static_cast<u64>(ns) * ticks_per_1024_ns() / 1024;
}

}  // namespace btrace
