#include "core/waits.h"

#include "base/clock.h"

namespace btrace {

bool is_forced(const Session& session, const ThreadRecord& record, i64 duration_ns) {
  u64 budget = session.config.budget_ppm;
  i64 affordable = budget ? static_cast<i64>(u64{record.mean_cost_ns} * 1000000 / budget) : 0;
  return duration_ns >= max_of(kShortestForcedWaitNs, affordable);
}

Blocked begin_block() {
  Blocked block{};
  block.session = active_session_id();
  if (!block.session) return block;
  block.begin_cpu_ns = own_cpu_ns();
  block.begin_ns = now_ns();
  return block;
}

void leave_out_wait(ThreadRecord& record, i64 duration_ns) {
  record.unseen_waits_ns += duration_ns;
}

u16 waited_before(ThreadRecord& record, i64 begin_ns, i64 end_ns) {
  const bool mostly = record.unseen_waits_ns > (begin_ns - record.seen_wait_end_ns) / 2;
  record.unseen_waits_ns = 0;
  record.seen_wait_end_ns = end_ns;
  return mostly ? kFlagWaitedBefore : 0;
}

// Stores that release keep their order, loads that acquire theirs: whoever finds something of this block finds the
// time of the one before no more.
void announce_block(ThreadRecord& record, SampleKind kind, const Blocked& block) {
  auto& announced = record.announced;
  record.blocked_since_ns.store_relaxed(0);
  announced.session.store_release(block.session);
  announced.kind.store_release(kind);
  announced.begin_cpu_ns.store_release(block.begin_cpu_ns);
  announced.object.store_release(block.object);
  announced.type.store_release(block.type);
  announced.peer.store_release(block.peer);
  announced.flags.store_release(block.flags);
  record.blocked_since_ns.store_release(block.begin_ns);
}

void withdraw_block(ThreadRecord& record) {
  record.blocked_since_ns.store_release(0);
}

bool read_block(const ThreadRecord& record, SampleKind& kind, Blocked& block) {
  const auto& announced = record.announced;
  block.begin_ns = record.blocked_since_ns.load_acquire();
  if (!block.begin_ns) return false;
  block.session = announced.session.load_acquire();
  kind = announced.kind.load_acquire();
  block.begin_cpu_ns = announced.begin_cpu_ns.load_acquire();
  block.object = announced.object.load_acquire();
  block.type = announced.type.load_acquire();
  block.peer = announced.peer.load_acquire();
  block.flags = announced.flags.load_acquire();
  return record.blocked_since_ns.load_relaxed() == block.begin_ns;
}

void announce_wait(ThreadRecord& record, u64 object, SampleKind kind, const Blocked& block) {
  const Session* session = active_session();
  if (session && session->config.main_only && !record.is_main) return;
  record.waker.store_relaxed(0);
  record.waits_for.store_relaxed(object);
  record.waits_since_ns.store_release(block.begin_ns);
  announce_block(record, kind, block);
}

void withdraw_wait(ThreadRecord& record) {
  record.waits_since_ns.store_release(0);
  withdraw_block(record);
}

bool wants_waker(const ThreadRecord& record, u64 object) {
  return record.waits_since_ns.load_acquire() && record.waits_for.load_relaxed() == object &&
         !record.waker.load_relaxed();
}

bool worth_waking(const ThreadRecord& record, u64 object, i64 now) {
  i64 since = record.waits_since_ns.load_acquire();
  return since && now - since >= kShortestForcedWaitNs && wants_waker(record, object);
}

void tell_waker(ThreadRecord& waiter, u32 waker, i64 waker_time_ns) {
  waiter.waker_time_ns.store_relaxed(waker_time_ns);
  waiter.waker.store_release(waker);
}

void link_to_waker(ThreadRecord& record, const Blocked& block, i64 sample_time_ns, LinkCertainty certainty) {
  u32 waker = record.waker.load_acquire();
  if (!waker || sample_time_ns == kNotCaptured) return;
  Session* session = active_session();
  if (!session || session->id != block.session) return;
  Link link{record.index.load_relaxed(), waker, sample_time_ns, record.waker_time_ns.load_relaxed(), certainty};
  if (!g_links.push(link)) session->links_lost.add_relaxed(1);
}

}  // namespace btrace
