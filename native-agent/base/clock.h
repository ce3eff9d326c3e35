#pragma once
// Clocks in ns. libc's clock_gettime goes through the vDSO (23 ns monotonic, 5 ns coarse on the machine of
// docs/AGENT.md; a raw system call costs ten times that), and its ABI is one word and a pointer to two.
#include "base/syscall.h"
#include "base/types.h"

#if defined(__APPLE__)
#include "base/darwin/clock.h"
#else
namespace btrace {

namespace libc {
int clock_gettime(int clock, sys::Timespec* time) asm("clock_gettime");
}

enum Clock : int {
  kClockRealtime = 0,
  kClockMonotonic = 1,
  kClockProcessCpu = 2,
  kClockThreadCpu = 3,
  kClockMonotonicCoarse = 6,
  kClockBoottime = 7,
};

inline i64 clock_ns(int clock) {
  sys::Timespec t{};
  libc::clock_gettime(clock, &t);
  return static_cast<i64>(t.seconds) * kNsPerSecond + t.nanoseconds;
}

inline i64 now_ns() {
  return clock_ns(kClockMonotonic);
}

// Moves in steps of a scheduler tick (1–10 ms): enough for a gate.
inline i64 coarse_now_ns() {
  return clock_ns(kClockMonotonicCoarse);
}

// How far the coarse clock moves at a time: one tick of the kernel's, at which timers on CPU clocks end.
inline i64 kernel_tick_ns() {
  sys::Timespec t{};
  if (sys::failed(sys::call(sys::kClockGetres, kClockMonotonicCoarse, reinterpret_cast<long>(&t)))) return 0;
  return static_cast<i64>(t.seconds) * kNsPerSecond + t.nanoseconds;
}

// The calling thread's CPU time: a system call in any case, so without the vDSO's detour.
inline i64 own_cpu_ns() {
  sys::Timespec t{};
  sys::call(sys::kClockGettime, kClockThreadCpu, reinterpret_cast<long>(&t));
  return static_cast<i64>(t.seconds) * kNsPerSecond + t.nanoseconds;
}

// The kernel's id of another thread's CPU clock: CPUCLOCK_PERTHREAD | CPUCLOCK_SCHED over the inverted tid.
inline int cpu_clock_of(u32 tid) {
  return static_cast<int>((~tid << 3) | 4 | 2);
}

// CPU time of another thread, or -1 when it has gone. One system call.
inline i64 thread_cpu_ns(u32 tid) {
  sys::Timespec t{};
  if (sys::failed(sys::call(sys::kClockGettime, cpu_clock_of(tid), reinterpret_cast<long>(&t)))) return -1;
  return static_cast<i64>(t.seconds) * kNsPerSecond + t.nanoseconds;
}

}  // namespace btrace
#endif
