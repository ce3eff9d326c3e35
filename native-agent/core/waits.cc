#include "core/waits.h"

#include "base/clock.h"

namespace btrace {

bool is_forced(const Session& session, const ThreadRecord& record, i64 duration_ns) {
  // By its waits the lag watch knows when a thread had nothing to do.
  if (duration_ns >= LoopLog::kLeastWaitNs && record.loop.load_relaxed()) return true;
  u64 budget = session.config.budget_ppm;
  i64 affordable = budget ? static_cast<i64>(u64{record.held.mean_cost_ns} * 1000000 / budget) : 0;
  return duration_ns >= max_of(session.shortest_wait_ns(), affordable);
}

Wait begin_wait() {
  Wait wait{};
  wait.session = active_session_id();
  if (!wait.session) return wait;
  wait.begin_cpu_ns = own_cpu_ns();
  wait.begin_ns = now_ns();
  return wait;
}

i64 cpu_at_begin(const Session& session, const ThreadRecord& record, const Wait& wait, i64 end_cpu_ns) {
  if (wait.begin_cpu_ns != kCpuNotRead) return wait.begin_cpu_ns;
  const Row& last = record.held.counters;
  if (!(last.counters & kCounterCpu)) return end_cpu_ns;
  const i64 between_ns = session.since_origin(wait.begin_ns) - (last.time_ns + last.duration_ns);
  return min_of(last.cpu_ns + last.cpu_duration_ns + max_of<i64>(between_ns, 0), end_cpu_ns);
}

void leave_out_wait(ThreadRecord& record, i64 duration_ns) {
  record.own.unseen_waits_ns += duration_ns;
}

u16 waited_before(ThreadRecord& record, i64 begin_ns, i64 end_ns) {
  const bool mostly = record.own.unseen_waits_ns > (begin_ns - record.own.seen_wait_end_ns) / 2;
  record.own.unseen_waits_ns = 0;
  record.own.seen_wait_end_ns = end_ns;
  return mostly ? kFlagWaitedBefore : 0;
}

// The released stores keep their order, and so do the acquired loads: a reader that finds one field of this wait no
// longer finds the begin of the one before.
void publish_wait(ThreadRecord& record, SampleKind kind, const Wait& wait) {
  auto& published = record.wait.published;
  record.wait.published_since_ns.store_relaxed(0);
  published.session.store_release(wait.session);
  published.kind.store_release(kind);
  published.begin_cpu_ns.store_release(wait.begin_cpu_ns);
  published.object.store_release(wait.object);
  published.type.store_release(wait.type);
  published.peer.store_release(wait.peer);
  published.flags.store_release(wait.flags);
  record.wait.published_since_ns.store_release(wait.begin_ns);
}

void withdraw_wait(ThreadRecord& record) {
  record.wait.published_since_ns.store_release(0);
}

bool read_published_wait(const ThreadRecord& record, SampleKind& kind, Wait& wait) {
  const auto& published = record.wait.published;
  wait.begin_ns = record.wait.published_since_ns.load_acquire();
  if (!wait.begin_ns) return false;
  wait.session = published.session.load_acquire();
  kind = published.kind.load_acquire();
  wait.begin_cpu_ns = published.begin_cpu_ns.load_acquire();
  wait.object = published.object.load_acquire();
  wait.type = published.type.load_acquire();
  wait.peer = published.peer.load_acquire();
  wait.flags = published.flags.load_acquire();
  return record.wait.published_since_ns.load_relaxed() == wait.begin_ns;
}

void publish_wait_for(ThreadRecord& record, u64 object, SampleKind kind, const Wait& wait) {
  const Session* session = active_session();
  if (session && session->config.main_only && !record.is_main) return;
  record.wait.waker.store_relaxed(0);
  record.wait.waits_for.store_relaxed(object);
  record.wait.waits_since_ns.store_release(wait.begin_ns);
  publish_wait(record, kind, wait);
}

void withdraw_wait_for(ThreadRecord& record) {
  record.wait.waits_since_ns.store_release(0);
  withdraw_wait(record);
}

bool is_waiting_for(const ThreadRecord& record, u64 object) {
  return record.wait.waits_since_ns.load_acquire() && record.wait.waits_for.load_relaxed() == object &&
         !record.wait.waker.load_relaxed();
}

bool should_capture_wakeup(const ThreadRecord& record, u64 object, i64 now) {
  i64 since = record.wait.waits_since_ns.load_acquire();
  const Session* session = active_session();
  return since && session && now - since >= session->shortest_wait_ns() && is_waiting_for(record, object);
}

void record_waker(ThreadRecord& waiter, u32 waker, i64 waker_time_ns) {
  waiter.wait.waker_time_ns.store_relaxed(waker_time_ns);
  waiter.wait.waker.store_release(waker);
}

void link_to_waker(ThreadRecord& record, const Wait& wait, i64 sample_time_ns, LinkCertainty certainty) {
  u32 waker = record.wait.waker.load_acquire();
  if (!waker || sample_time_ns == kNotCaptured) return;
  Session* session = active_session();
  if (!session || session->id != wait.session) return;
  Link link{record.index.load_relaxed(), waker, sample_time_ns, record.wait.waker_time_ns.load_relaxed(), certainty,
            wait.session};
  if (!g_links.push(link)) session->links_lost.add_relaxed(1);
}

Stood where_it_stood(const Session& session, const ThreadRecord& record) {
  Stood stood;
  stood.cpu_ns = record.walked.cpu_ns.load_acquire();
  stood.stack = record.walked.stack.load_acquire();
  stood.at_ns = record.walked.ns.load_acquire();
  stood.notes.flags = record.walked.flags.load_acquire();
  stood.notes.loop_message = record.walked.loop_message.load_acquire();
  const u32 epoch = record.walked.epoch.load_acquire();
  const bool is_ours = record.walked.session.load_acquire() == session.id;
  const bool is_whole = stood.cpu_ns >= 0 && record.walked.cpu_ns.load_relaxed() == stood.cpu_ns;
  return is_ours && is_whole && epoch + 1 >= session.stacks.epoch() ? stood : Stood{};
}

}  // namespace btrace
