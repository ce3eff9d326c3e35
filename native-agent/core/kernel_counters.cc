#include "core/kernel_counters.h"

#include "base/clock.h"

namespace btrace {

namespace {
// Who is switched is off its processor for longer than this, for another thread is on it. One that is yet shorter is
// told with a later row.
constexpr i64 kShortestSwitchNs = 500;
// The two clocks may drift apart, and a page that is only unpacked is a fault without a switch: nothing is told later
// than this.
constexpr i64 kUsageHoldsNs = 10 * kNsPerMs;
}  // namespace

void read_kernel_counters(Row& row, ThreadRecord& record) {
  const i64 now = now_ns();
  row.cpu_ns = record.held.begin_cpu_ns = own_cpu_ns();
  row.counters |= kCounterCpu;
  if (!kHasThreadUsage) return;
  const i64 off_cpu_ns = now - row.cpu_ns;
  const bool has_switched = off_cpu_ns - record.held.usage_off_cpu_ns >= kShortestSwitchNs;
  if (has_switched || now - record.held.usage_read_ns >= kUsageHoldsNs) {
    record.held.usage = thread_usage();
    record.held.usage_read_ns = now;
  }
  record.held.usage_off_cpu_ns = off_cpu_ns;
  row.major_faults = record.held.usage.major_faults;
  row.voluntary_switches = record.held.usage.voluntary_switches;
  row.involuntary_switches = record.held.usage.involuntary_switches;
  row.counters |= kCounterFaults | kCounterSwitches;
}

}  // namespace btrace
