#pragma once
#include "base/bytes.h"
#include "core/format.h"

namespace btrace {

// What the desktop asks for; the words of proto/recording.proto.
struct Config {
  i64 sync_interval_ns = kNsPerMs;
  i64 async_interval_ns = 0;
  u64 memory_bytes = 32 * kMiB;
  Policy policy = Policy::Stream;
  i64 ring_ns = 0;
  u64 budget_ppm = 10000;
  u64 kinds = 0;  // bit per SampleKind; 0: all
  bool main_only = false;
  u64 allocation_interval_bytes = 0;
  bool ring_copies = false;  // what comes into the ring is sent at once as well
  bool survey = false;       // in place of points, calls of imported functions are counted (native programs)

  // A ring that has a stack a second and is seen only when it is dumped: nothing in it is urgent, and a wake-up costs
  // more than what there is to do.
  bool is_patient() const { return policy == Policy::Ring && !ring_copies && async_interval_ns >= kNsPerSecond; }

  bool wants(SampleKind kind) const { return !kinds || (kinds >> static_cast<u32>(kind) & 1); }
};

// Numbers that make no sense are moved to the nearest that do; the Header tells what was taken.
bool parse_config(const u8* data, size_t size, Config& config);
void put_config(Bytes& out, const Config& config);

}  // namespace btrace
