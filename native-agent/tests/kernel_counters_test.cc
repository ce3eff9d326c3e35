#include "core/kernel_counters.h"

#include <memory>

#include "base/clock.h"
#include "harness.h"

using namespace btrace;

namespace {

struct Thread {
  std::unique_ptr<ThreadRecord> record = std::make_unique<ThreadRecord>();
  Row read() {
    Row row{};
    read_kernel_counters(row, *record);
    return row;
  }
  // What no kernel counts: a row that says so did not ask it.
  static constexpr u32 kMade = 3'000'000'000;
  bool asks() {
    record->held.usage.voluntary_switches = kMade;
    return read().voluntary_switches != kMade;
  }
};

void work(i64 ns) {
  for (const i64 end = now_ns() + ns; now_ns() < end;) {
  }
}

TEST("kernel counters: rows tell the switches up to them") {
  Thread thread;
  // One that is kept from running until its sleep is over does not sleep.
  int slept = 0, told = 0;
  for (int round = 0; round < 20; round++) {
    const ThreadUsage before = thread_usage();
    const i64 cpu_before = own_cpu_ns();
    sys::sleep_ns(kNsPerMs);
    const Row row = thread.read();
    const ThreadUsage after = thread_usage();
    CHECK(row.voluntary_switches >= before.voluntary_switches && row.voluntary_switches <= after.voluntary_switches);
    slept += after.voluntary_switches > before.voluntary_switches;
    told += row.voluntary_switches > before.voluntary_switches;
    CHECK(row.involuntary_switches >= before.involuntary_switches);
    CHECK(row.cpu_ns > cpu_before && row.cpu_ns <= own_cpu_ns());
    CHECK_EQUAL(row.counters, static_cast<u16>(kCounterCpu | kCounterFaults | kCounterSwitches));
  }
  CHECK(slept > 0);
  CHECK_EQUAL(told, slept);
}

TEST("kernel counters: who kept its processor is not asked about again, for some ms") {
  Thread thread;
  bool asked = true;
  // On a busy machine others come in between.
  for (int round = 0; round < 1000 && asked; round++) {
    thread.record->held.usage_read_ns = 0;
    thread.read();
    asked = thread.asks();
  }
  CHECK(!asked);
  work(11 * kNsPerMs);
  thread.record->held.usage_off_cpu_ns = INT64_MAX / 2;  // whatever comes in between is no switch
  CHECK(thread.asks());
}

}  // namespace
