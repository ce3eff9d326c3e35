// The JVM makes an event of each allocation that is due to be sampled, whether the gate lets it through or not. A
// program that allocates gigabytes a second would pay for that more than for the captures: the interval in bytes
// follows the budget.
#include "rt/hotspot/stack_here.h"
#include "rt/java/thread_creation.h"

namespace btrace::hotspot {

namespace {

// What an event costs that is not captured, measured on the machine of docs/AGENT.md.
constexpr u64 kEventNs = 700;
constexpr u64 kLongestInterval = 64 * kMiB;
u64 g_interval_bytes;
u32 g_events_before;

u32 events_so_far() {
  u32 sum = 0;
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++)
    sum += g_threads.at(slot).own.events.load_relaxed();
  return sum;
}

}  // namespace

void set_allocation_interval(u64 bytes) {
  g_interval_bytes = min_of(bytes, kLongestInterval);
  g_events_before = events_so_far();
  g_hotspot.jvm.ti->SetHeapSamplingInterval(static_cast<jint>(g_interval_bytes));
}

u64 HotSpot::adapt(Session& session, u64 cpu_ns) {
  report_virtual_threads(session);
  check_known_stacks(session);
  make_method_ids();
  follow_thread_creation(session);
  u64 virtual_ns = pace_off_carrier_waits(session, cpu_ns);
  if (session.hook_state("allocation") != HookState::Installed) return virtual_ns;
  u32 events_now = events_so_far();
  // Threads that have ended took their count with them.
  u64 events = events_now > g_events_before ? events_now - g_events_before : 0;
  g_events_before = events_now;
  u64 spent_ns = events * kEventNs;
  if (!session.config.budget_ppm) return spent_ns + virtual_ns;
  u64 asked = session.config.allocation_interval_bytes;
  // An eighth of the budget for events; a half at least is for captures.
  u64 allowed_ns = cpu_ns / 1000000 * session.config.budget_ppm / 8;
  u64 interval = max_of<u64>(g_interval_bytes, 1024);
  if (spent_ns > allowed_ns)
    interval = interval * min_of<u64>(spent_ns / max_of<u64>(allowed_ns, 1) + 1, 16);
  else if (spent_ns < allowed_ns / 4 && g_interval_bytes > asked)
    interval = max_of(interval / 2, asked);
  else
    interval = g_interval_bytes;
  if (interval != g_interval_bytes) {
    set_allocation_interval(interval);
    bool widened = g_interval_bytes > asked;
    session.report_hook("allocation", HookState::Installed,
                        widened ? "samples fewer allocations than asked, to stay within the budget" : nullptr);
  }
  return spent_ns + virtual_ns;
}

}  // namespace btrace::hotspot
