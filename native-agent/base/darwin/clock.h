#pragma once
// Included by base/clock.h.

namespace btrace {

namespace libc {
u64 clock_ns_of(int clock) asm("_clock_gettime_nsec_np");
}

// The monotonic clocks stand still while the device sleeps; the clock of the boot does not.
enum Clock : int {
  kClockRealtime = 0,
  kClockBoottime = 4,    // CLOCK_MONOTONIC_RAW
  kClockMonotonic = 8,   // CLOCK_UPTIME_RAW: mach_absolute_time in ns
  kClockProcessCpu = 12,
  kClockThreadCpu = 16,
};

inline i64 clock_ns(int clock) {
  return static_cast<i64>(libc::clock_ns_of(clock));
}

inline i64 now_ns() {
  return clock_ns(kClockMonotonic);
}

// CPU clocks are read, and do not interrupt: their step is of no account.
inline i64 kernel_tick_ns() {
  return 0;
}

inline i64 own_cpu_ns() {
  return clock_ns(kClockThreadCpu);
}

// CPU time of another thread, in steps of 1 µs, or -1 when it has gone.
i64 thread_cpu_ns(u32 tid);

}  // namespace btrace
