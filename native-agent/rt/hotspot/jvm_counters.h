#pragma once
// The counters that the JVM keeps for jstat. Their memory is the JVM's own: all reads of it are checked.
#include "base/types.h"

namespace btrace::hotspot {

struct JvmCounters {
  const u8* begin = nullptr;
  size_t size = 0;

  // The place of a counter of type long; nullptr when there is none of that name, or what is there is no such memory.
  const u8* find(const char* name) const;
};

// How long the JVM's threads have stood still since it started.
class StopClock {
 public:
  bool init(const JvmCounters& counters);
  // Below 0: the JVM does not tell (-XX:-UsePerfData).
  i64 total_ns() const;

 private:
  const u8* ticks_ = nullptr;
  u64 ticks_per_second_ = 0;
};

}  // namespace btrace::hotspot
