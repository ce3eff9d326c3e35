#pragma once
#if defined(__APPLE__)
#include "base/types.h"
#else
#include "base/syscall.h"
#endif

namespace btrace {

struct ThreadUsage {
  u32 major_faults;
  u32 voluntary_switches;
  u32 involuntary_switches;
};

#if defined(__APPLE__)
// The system counts faults and switches of a process alone.
inline constexpr bool kHasThreadUsage = false;
inline ThreadUsage thread_usage() {
  return {};
}
#else
inline constexpr bool kHasThreadUsage = true;
// The calling thread's; a system call of some 300 ns.
inline ThreadUsage thread_usage() {
  constexpr long kThisThread = 1;
  // The kernel's struct rusage: two times of two longs each, then fourteen longs.
  long usage[18] = {};
  sys::call(sys::kGetrusage, kThisThread, reinterpret_cast<long>(usage));
  return {static_cast<u32>(usage[9]), static_cast<u32>(usage[16]), static_cast<u32>(usage[17])};
}
#endif

}  // namespace btrace
