#include "rt/java/monitor_waits.h"

#include "base/clock.h"
#include "base/text_builder.h"
#include "core/capture.h"
#include "core/waits.h"

namespace btrace {

namespace {

// Slots of thread records, by a hash of where the thread sleeps. One whose thread sleeps no more may be taken by
// another. With no room nearby the releaser is not found: the wait has its owner then, as an estimate.
constexpr u32 kSleepers = 8192, kProbes = 16;
Atomic<u32> g_sleepers[kSleepers];  // slot + 1; 0: never taken
Atomic<u32> g_sleeper_count;

constexpr const char* kHook = "monitor release";
Atomic<u32> g_seen, g_unseen;

u32 home_of(u64 address) {
  return static_cast<u32>((address >> 4) * 0x9E3779B97F4A7C15ull >> 51);
}
static_assert(kSleepers == 1u << (64 - 51));

ThreadRecord* find_sleeper(u64 address) {
  for (u32 probe = 0, at = home_of(address); probe < kProbes; probe++, at = (at + 1) % kSleepers) {
    const u32 there = g_sleepers[at].load_acquire();
    if (!there) return nullptr;
    ThreadRecord& record = g_threads.at(there - 1);
    if (record.wait.sleeps_on.load_acquire() == address) return &record;
  }
  return nullptr;
}

}  // namespace

void begin_monitor_wait(ThreadRecord& record) {
  record.wait.waker.store_relaxed(0);
}

bool end_monitor_wait(ThreadRecord& record, Wait& wait) {
  if (record.wait.sleeps_on.load_relaxed()) {
    record.wait.sleeps_on.store_release(0);
    g_sleeper_count.subtract(1);
  }
  Session* session = active_session();
  if (!wait.session || !session || session->id != wait.session) return false;
  const u32 waker = record.wait.waker.load_acquire();
  // It may have gone on by itself, and be told of a release only now, in its next wait.
  const bool seen = waker && record.wait.waker_time_ns.load_relaxed() >= session->since_origin(wait.begin_ns);
  (seen ? g_seen : g_unseen).add_relaxed(1);
  if (!seen) return false;
  wait.peer = waker;
  wait.flags &= static_cast<u16>(~kFlagOwnerEstimated);
  return true;
}

ThreadRecord* waiting_for_monitor() {
  ThreadRecord* record = active_session_id() ? g_threads.current_record_or_null() : nullptr;
  const bool waits = record && record->wait.published_since_ns.load_relaxed() &&
                     record->wait.published.kind.load_relaxed() == SampleKind::Monitor;
  return waits ? record : nullptr;
}

void sleep_for_monitor(ThreadRecord& record, u64 address) {
  const u64 before = record.wait.sleeps_on.load_relaxed();
  if (before == address) return;
  if (!before) g_sleeper_count.add(1);
  record.wait.sleeps_on.store_release(address);
  const u32 mine = record.slot + 1;
  for (u32 probe = 0, at = home_of(address); probe < kProbes; probe++, at = (at + 1) % kSleepers) {
    u32 there = g_sleepers[at].load_relaxed();
    if (there == mine) return;
    if (there && g_threads.at(there - 1).wait.sleeps_on.load_relaxed()) continue;
    if (g_sleepers[at].swap_if(there, mine)) return;
  }
}

bool any_sleep_for_monitors() {
  return g_sleeper_count.load_relaxed() != 0;
}

MonitorRelease monitor_release_at(u64 address) {
  MonitorRelease release{};
  const Session* session = active_session();
  ThreadRecord* waiter = session ? find_sleeper(address) : nullptr;
  release.releaser = waiter ? g_threads.current_record_or_null() : nullptr;
  if (!release.releaser || release.releaser == waiter || release.releaser->busy.load_relaxed() == Holder::Never)
    return release;
  if (session->config.main_only && !waiter->is_main) return release;
  SampleKind kind;
  if (!read_published_wait(*waiter, kind, release.wait) || kind != SampleKind::Monitor || release.wait.session != session->id)
    return release;
  release.waiter = waiter;
  release.now_ns = now_ns();
  release.is_long = release.now_ns - release.wait.begin_ns >= session->shortest_wait_ns();
  return release;
}

void record_monitor_release(const MonitorRelease& release, i64 time_ns) {
  Session* session = active_session();
  const u32 index = session ? index_in(*session, *release.releaser) : 0;
  if (index)
    record_waker(*release.waiter, index, time_ns == kNotCaptured ? session->since_origin(release.now_ns) : time_ns);
}

void enable_monitor_releases(Session& session, Imports& imports, const char* missing, BindCalls bind) {
  g_seen.store(0);
  g_unseen.store(0);
  if (!session.config.wants(SampleKind::Monitor) || !session.config.wants(SampleKind::MonitorRelease))
    return session.report_hook(kHook, HookState::Off, "not asked for");
  const char* why = missing;
  if (!why && !imports.init()) why = "no memory";
  if (!why && !bind(imports)) {
    imports.undo();
    why = "the runtime's calls could not be seen for sure: waits name the owner at their begin";
  }
  session.report_hook(kHook, why ? HookState::Missing : HookState::Installed, why);
}

void disable_monitor_releases(Session& session, Imports& imports) {
  if (session.hook_state(kHook) != HookState::Installed) return;
  static char counted[120];
  TextBuilder(counted)
      .number(g_seen.load_relaxed())
      .add(" waits with the thread that released, ")
      .number(g_unseen.load_relaxed())
      .add(" with the owner at their begin");
  const u32 left = imports.undo();
  session.report_hook(kHook, left ? HookState::Failed : HookState::Removed,
                      left ? "somebody else's function stands there now; ours only calls through" : counted);
}

}  // namespace btrace
