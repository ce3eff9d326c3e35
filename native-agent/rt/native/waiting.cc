#include "rt/native/waiting.h"

#include "base/clock.h"
#include "core/wait_end.h"

namespace btrace::native {

namespace {

// Of an address: what a recording's numbers hold exactly.
constexpr u64 kIdentityBits = (1ull << 53) - 1;
// How many threads wait for objects, by a hash of the address: who ends a wait looks for the waiter only where somebody
// waits.
constexpr u32 kBuckets = 1024;
Atomic<u32> g_waiters[kBuckets];
static_assert(kBuckets == 1u << (64 - 54));

// Those who wait for this object, and were not told yet who ends it.
template <class Visit>
void each_waiter(u64 object, Visit visit) {
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (const i64 begin = record.wait.waits_since_ns.load_acquire(); begin && is_waiting_for(record, object))
      visit(record, begin);
  }
}

ThreadRecord* longest_waiter(u64 object) {
  ThreadRecord* longest = nullptr;
  i64 since = INT64_MAX;
  each_waiter(object, [&](ThreadRecord& record, i64 begin) {
    if (begin < since) longest = &record, since = begin;
  });
  return longest;
}

}  // namespace

u64 identity_of(const void* object) {
  return reinterpret_cast<u64>(object) & kIdentityBits;
}

Atomic<u32>& waiters_of(u64 object) {
  return g_waiters[(object >> 4) * 0x9E3779B97F4A7C15ull >> 54];
}

void Waiting::begin(SampleKind kind, u64 object) {
  kind_ = kind;
  wait_ = {};
  if (!active_session_id()) return;
  record_ = g_threads.current_record();
  // The agent's own threads wait, too; and a handler of the program's may have interrupted a capture.
  if (!record_ || record_->busy.load_relaxed() != Holder::Nobody) return;
  wait_.session = active_session_id();
  if (!wait_.session) return;
  // To read the CPU clock costs more than all else here.
  wait_.begin_cpu_ns = kCpuNotRead;
  wait_.object = object;
  wait_.begin_ns = now_ns();
  if (object) {
    waiters_of(object).add(1);
    publish_wait_for(*record_, object, kind, wait_);
  } else {
    publish_wait(*record_, kind, wait_);
  }
}

void Waiting::end(const Registers& from) {
  if (!wait_.session) return;
  if (wait_.object) {
    withdraw_wait_for(*record_);
    waiters_of(wait_.object).subtract(1);
    capture_linked_wait(*record_, wait_, LinkCertainty::ByIdentity,
                    [&](const Wait& ended) { return capture(ended, from); });
  } else {
    withdraw_wait(*record_);
    capture(wait_, from);
  }
  wait_.session = 0;
}

i64 Waiting::capture(const Wait& ended, const Registers& from) {
  const i64 lasted_ns = now_ns() - ended.begin_ns;
  if (lasted_ns < Session::kShortestWaitNs) return leave_out_wait(*record_, lasted_ns), kNotCaptured;
  if (!own_record()) return kNotCaptured;
  return capture_wait(*record_, kind_, ended, false, read_counters, [&](Capture& capture) {
    capture.commit(walk_from(capture, from));
    return true;
  });
}

[[gnu::noinline]] void release(u64 object, SampleKind kind, bool all, const Registers& from) {
  Session* session = active_session();
  ThreadRecord* waiter = session ? longest_waiter(object) : nullptr;
  ThreadRecord* record = waiter ? g_threads.current_record() : nullptr;
  if (!record || record == waiter) return;
  // Not of a thread of the agent's, nor within a capture; where the sampler has the record, its stack alone is lost.
  const Holder holder = record->busy.load_relaxed();
  if (holder == Holder::Never || holder == Holder::Thread) return;
  const i64 now = now_ns();
  i64 time_ns = session->since_origin(now);
  if (should_capture_wakeup(*waiter, object, now)) {
    Capture capture;
    if (capture.begin(own_record(), kind, true)) {
      read_counters(capture.row(), *record);
      capture.row().object = object;
      capture.row().peer = waiter->index.load_relaxed();
      time_ns = capture.row().time_ns;
      capture.commit(walk_from(capture, from));
    }
  }
  const u32 me = index_in(*session, *record);
  if (!me) return;
  record_waker(*waiter, me, time_ns);
  if (all) each_waiter(object, [&](ThreadRecord& other, i64) { record_waker(other, me, time_ns); });
}

}  // namespace btrace::native
