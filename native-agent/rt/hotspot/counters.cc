#include "base/clock.h"
#include "os/linux/usage.h"
#include "rt/hotspot/hotspot.h"

namespace btrace::hotspot {

// Some 850 ns together, most of it two system calls: only for what is captured.
void read_counters(Row& row, ThreadRecord& record) {
  row.message = own_message(record);
  row.cpu_ns = own_cpu_ns();
  ThreadUsage usage = thread_usage();
  row.major_faults = usage.major_faults;
  row.voluntary_switches = usage.voluntary_switches;
  row.involuntary_switches = usage.involuntary_switches;
  row.counters = kCounterCpu | kCounterFaults | kCounterSwitches;
  u64 java_thread = record.runtime_thread.load_relaxed();
  if (java_thread && g_hotspot.jvm.allocated_bytes != kNoOffset) {
    row.allocated_bytes = g_hotspot.jvm.allocated_by(java_thread);
    row.counters |= kCounterAllocatedBytes;
  }
}

}  // namespace btrace::hotspot
