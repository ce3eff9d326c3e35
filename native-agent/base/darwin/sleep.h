#pragma once
// Included by base/syscall.h.

namespace btrace::sys {

int nanosleep(const Timespec* time, Timespec* left) asm("_nanosleep");

inline void sleep_ns(i64 ns) {
  const Timespec time{static_cast<long>(ns / kNsPerSecond), static_cast<long>(ns % kNsPerSecond)};
  nanosleep(&time, nullptr);
}

}  // namespace btrace::sys
