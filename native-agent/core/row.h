#pragma once
// One captured sample as it lies in a shard: fixed size, so that a writer never has to look for room.
#include "core/format.h"

namespace btrace {

// As the file has it, object identities have 53 bits, and so have values of the program's counters.
inline constexpr i64 kMostCounted = (i64{1} << 53) - 2;

// A marker with an object gives the value of the program's counter of that text: this, for 0 is no object.
inline constexpr u64 counted_object(i64 value) {
  return static_cast<u64>(value < 0 ? 0 : value < kMostCounted ? value : kMostCounted) + 1;
}

struct Row {
  i64 time_ns;      // since the session's origin; a wait sample's begin
  i64 duration_ns;  // 0: instant
  i64 cpu_ns;       // the thread's CPU clock at time_ns
  i64 cpu_duration_ns;
  u64 allocated_bytes;
  u64 object;
  u64 type;  // what the runtime calls the class; the drain gives it an id
  u32 stack;
  u32 allocations;
  u32 major_faults;
  u32 voluntary_switches;
  u32 involuntary_switches;
  u32 merged;
  u32 overruns;  // intervals of the CPU timer that had ended before the one interrupt that came for all of them
  u32 loop_message;
  u32 peer;
  u32 text;
  u16 counters;  // CounterBit
  SampleKind kind;
  u16 flags;
  u16 reserved;

  // Captures: its own, those merged into it, and those that interrupts in time would have made.
  u32 stands_for() const { return 1 + merged + overruns; }
  // The totals of an earlier row of the same thread, for a row that does not read them anew.
  void carry_on(const Row& known) {
    counters = known.counters;
    loop_message = known.loop_message;
    allocations = known.allocations;
    allocated_bytes = known.allocated_bytes;
    major_faults = known.major_faults;
    voluntary_switches = known.voluntary_switches;
    involuntary_switches = known.involuntary_switches;
  }
};
static_assert(sizeof(Row) == 104 || sizeof(void*) == 4);

// Neighbours that say the same are merged into one (docs/FORMAT.md, Merging).
inline bool mergeable(const Row& a, const Row& b) {
  return a.stack == b.stack && a.kind == b.kind && a.loop_message == b.loop_message && a.flags == b.flags &&
         a.counters == b.counters && !a.duration_ns && !b.duration_ns && !a.object && !b.object && !a.type && !b.type &&
         !a.peer && !b.peer && !a.text && !b.text;
}

}  // namespace btrace
