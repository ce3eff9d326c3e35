#include "core/off_carrier_waits.h"

#include "base/clock.h"
#include "core/waits.h"

namespace btrace {

namespace {

// The events alone may cost this part of the budget.
constexpr u64 kEventsPart = 2;
// Once on, they stay so long at least: they see the waits that begin and end meanwhile.
constexpr i64 kShortestWatchNs = kNsPerSecond;
// Waits end in crowds: so much time's worth may be captured at once.
constexpr i64 kCrowdNs = kNsPerSecond;

// Walks and rows of waits may cost a thread that carries them as much of its time as the budget has. Of a wait's
// length, as for other waits, would be no bound: thousands of them go on at once.
void pay(ThreadRecord& record, const Session& session, u64 tick, u64 cost_ns) {
  u64 budget = session.config.budget_ppm;
  if (!budget) return;
  record.own.waits_paid_tick =
      max_of(record.own.waits_paid_tick, tick) + ns_to_ticks(static_cast<i64>(cost_ns * 1000000 / budget));
}

bool owes_less(const ThreadRecord& record, u64 tick, i64 ns) {
  return record.own.waits_paid_tick < tick + ns_to_ticks(ns);
}

// 0 when there is none.
u32 walk_now(SideCapture& capture, WalkSelf walk) {
  i32 frames = walk(capture.frames(), WalkBuffer::kFrames, capture.row().flags);
  if (frames > 0) return capture.node_of(static_cast<u32>(frames));
  capture.row().flags |= kFlagWalkFailed;
  return 0;
}

}  // namespace

// Where little is owed the stack is walked already: it is needed should the thread still wait at the recording's end.
void virtual_thread_leaves(ThreadRecord& record, u64 id, WalkSelf walk) {
  i64 now = now_ns();
  SideCapture capture;
  if (!capture.begin(&record, SampleKind::OffCarrierWait)) {
    if (Session* session = active_session()) session->off_carrier_waits.miss();
    return;
  }
  Session& session = capture.session();
  OffCarrierWait wait{now, 0, record.index.load_relaxed()};
  u64 tick = tick_now();
  if (owes_less(record, tick, kCrowdNs / 2) && capture.take_frames()) {
    wait.stack = walk_now(capture, walk);
    // What its row could not say of it.
    if (capture.row().flags) wait.stack = 0;
    pay(record, session, tick, capture.charge_walk(now));
  }
  if (session.off_carrier_waits.put(id, wait)) return;
  session.off_carrier_waits.miss();
  capture.lose(LossReason::BufferFull);
}

void virtual_thread_comes_back(ThreadRecord& record, u64 id, WalkSelf walk) {
  i64 now = now_ns();
  SideCapture capture;
  if (!capture.begin(&record, SampleKind::OffCarrierWait)) return;
  Session& session = capture.session();
  OffCarrierTable& waits = session.off_carrier_waits;
  Row& row = capture.row();
  OffCarrierWait wait{};
  if (!waits.take(id, wait)) {
    // One that is new, or that has waited since before anybody looked.
    if (id >= session.first_new_id.load_relaxed() || !waits.complete()) return;
    wait.begin_ns = waits.restarted_ns();
    row.flags |= kFlagFromBefore;
  }
  row.time_ns = session.since_origin(wait.begin_ns);
  row.duration_ns = now - wait.begin_ns;
  if (row.duration_ns < session.shortest_wait_ns()) return;
  u64 tick = tick_now();
  if (!owes_less(record, tick, kCrowdNs)) {
    record.own.waits_left_out++;
    record.own.waits_left_out_ns += static_cast<u64>(row.duration_ns);
    return;
  }
  row.stack = wait.stack;
  // It stands where it stood when it left, but that may be a node of a table that goes soon.
  if (!row.stack || session.stacks.epoch_of(row.stack) != session.stacks.epoch()) {
    if (!capture.take_frames()) {
      capture.lose(LossReason::BufferFull);
      return;
    }
    row.stack = walk_now(capture, walk);
  }
  row.loop_message = static_cast<u32>(id);
  row.peer = record.own.waits_left_out;
  row.object = record.own.waits_left_out_ns;
  record.own.waits_left_out = 0;
  record.own.waits_left_out_ns = 0;
  pay(record, session, tick, capture.commit(now));
}

void virtual_thread_ends(ThreadRecord& record, u64 id) {
  SideCapture capture;
  OffCarrierWait wait;
  if (capture.begin(&record, SampleKind::OffCarrierWait)) capture.session().off_carrier_waits.take(id, wait);
}

bool EventsPace::step(const Config& config, i64 now, u64 spent_ns, u64 cpu_ns) {
  if (!config.budget_ppm) return true;
  if (!since_ns_) since_ns_ = now;
  debt_ns_ += static_cast<i64>(spent_ns) - static_cast<i64>(cpu_ns / 1000000 * config.budget_ppm / kEventsPart);
  debt_ns_ = max_of<i64>(debt_ns_, 0);
  if (on_ ? debt_ns_ && now - since_ns_ >= kShortestWatchNs : !debt_ns_) {
    on_ = !on_;
    since_ns_ = now;
  }
  return on_;
}

}  // namespace btrace
