#include "core/kernel_counters.h"
#include "rt/hotspot/hotspot.h"

namespace btrace::hotspot {

// Nearly all of it is system calls: only for what is captured.
void read_counters(Row& row, ThreadRecord& record) {
  row.loop_message = own_loop_message(record);
  read_kernel_counters(row, record);
  u64 java_thread = record.runtime_thread.load_relaxed();
  if (java_thread && g_hotspot.jvm.allocated_bytes != kNoOffset) {
    row.allocated_bytes = g_hotspot.jvm.allocated_by(java_thread);
    row.counters |= kCounterAllocatedBytes;
  }
}

}  // namespace btrace::hotspot
