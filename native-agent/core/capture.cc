#include "core/capture.h"

#include "base/clock.h"

namespace btrace {

namespace {

// The agent holds a record for some 100 ns at a time, unless it is kept from running. A thread that meets it looks
// again this often, then gives up; with what nothing else would tell of, it waits so often first.
constexpr int kPatience = 400;
constexpr int kMorePatience = kPatience + 200;
constexpr i64 kPatientWaitNs = 50 * kNsPerUs;
constexpr u64 kPlausibleCostNs = 50 * kNsPerUs;
// From outside, with a walk of another thread that is handed over and back.
constexpr u64 kPlausibleOutsideCostNs = 200 * kNsPerUs;

inline void relax() {
#if defined(__x86_64__)
  asm volatile("pause");
#else
  asm volatile("" ::: "memory");
#endif
}

bool hold(ThreadRecord& record, Holder holder, int patience = kPatience) {
  for (int turn = 0; turn < patience; turn++) {
    Holder found = Holder::Nobody;
    if (record.busy.swap_if(found, holder)) return true;
    if (holder == Holder::Agent || found != Holder::Agent) return false;
    if (turn < kPatience)
      relax();
    else
      sys::sleep_ns(kPatientWaitNs);
  }
  record.lost[static_cast<u32>(LossReason::BufferFull)].add_relaxed(1);
  return false;
}

// A marker was asked for by name, and of a thread that starts no later sample tells who started it.
int patience_with(SampleKind kind) {
  return kind == SampleKind::Marker || kind == SampleKind::ThreadStart ? kMorePatience : kPatience;
}

// Capture state left by an earlier session is void: its segments went with that session's pool.
void adopt(Session& session, ThreadRecord& record) {
  record.has_pending.store_relaxed(0);
  record.follows = false;
  record.counters = Row{};
  record.usage_read_ns = 0;
  record.shard.reset();
  record.last.depth = 0;
  record.last.epoch = 0;
  record.mean_cost_ns = 0;
  record.due_tick.store_relaxed(0);
  record.waits_paid_tick = record.waits_left_out_ns = record.waits_left_out = 0;
  record.unseen_waits_ns = record.seen_wait_end_ns = 0;
  record.due_intervals.store_relaxed(0);
  record.last_tick.store_relaxed(0);
  record.evidence_tick.store_relaxed(0);
  for (u32 reason = 0; reason < kLossReasons; reason++) {
    record.lost[reason].store_relaxed(0);
    record.counted_lost[reason] = 0;
  }
  record.index.store_relaxed(session.thread_count.add(1) + 1);
  record.session.store_release(session.id);
}

WalkBuffer* take_walk_buffer(Session& session, u32 start) {
  for (u32 i = 0; i < Session::kWalkBuffers; i++) {
    WalkBuffer& buffer = session.walk_buffers[(start + i) % Session::kWalkBuffers];
    if (!buffer.taken.load_relaxed() && !buffer.taken.exchange(1)) return &buffer;
  }
  return nullptr;
}

bool push(Session& session, ThreadRecord& record, const Row& row) {
  if (!session.full.load_relaxed()) {
    if (record.shard.push(session.pool, row)) return true;
    if (session.config.policy == Policy::StopWhenFull) session.full.store(1);
  }
  record.lost[static_cast<u32>(LossReason::BufferFull)].add_relaxed(row.stands_for());
  return false;
}

void keep(Session& session, ThreadRecord& record, const Row& row, i64 now) {
  if (record.has_pending.load_relaxed()) {
    if (record.follows && mergeable(record.before, record.pending) && mergeable(record.pending, row)) {
      u32 merged = record.pending.stands_for();
      record.pending = row;
      record.pending.merged = merged;
      return;
    }
    record.follows = push(session, record, record.pending);
    record.before = record.pending;
  }
  record.pending = row;
  record.pending_stack.store_relaxed(row.stack);
  record.pending_since_ns = now;
  record.has_pending.store_relaxed(1);
}

// Where the main thread alone is asked for: what holds it up is told, too.
bool concerns_main(SampleKind kind, const ThreadRecord& record) {
  return record.is_main || kind == SampleKind::Gc || kind == SampleKind::Notify || kind == SampleKind::Unpark;
}

}  // namespace

bool Capture::enter(ThreadRecord* record, SampleKind kind, Holder holder) {
  if (!record || !hold(*record, holder, patience_with(kind))) return false;
  record_ = record;
  session_ = active_session();
  row_ = Row{};
  row_.kind = kind;
  if (!session_ || !session_->config.wants(kind) || session_->full.load_relaxed() ||
      (session_->config.main_only && !concerns_main(kind, *record))) {
    leave();
    return false;
  }
  if (record->session.load_relaxed() != session_->id) adopt(*session_, *record);
  return true;
}

bool Capture::begin_open(ThreadRecord* record, SampleKind kind, bool open, bool force) {
  if (!enter(record, kind, Holder::Thread)) return false;
  walk_ = take_walk_buffer(*session_, record->slot);
  if (!walk_) {
    lose(LossReason::BufferFull);
    return false;
  }
  begin_ns_ = now_ns();
  row_.time_ns = session_->since_origin(begin_ns_);
  forced_ = force;
  if (!open) row_.flags |= kFlagForced;
  return true;
}

bool Capture::begin_outside(ThreadRecord* record, SampleKind kind, i64 begin_ns, u64 begin_tick) {
  if (!enter(record, kind, Holder::Agent)) return false;
  if (record->last_tick.load_relaxed() > begin_tick) {
    leave();
    return false;
  }
  begin_ns_ = begin_ns;
  row_.time_ns = session_->since_origin(begin_ns);
  row_.carry_on(record->counters);
  return true;
}

bool Capture::take_frames() {
  walk_ = take_walk_buffer(*session_, record_->slot);
  return walk_ != nullptr;
}

u32 Capture::insert(const Frame* frames, u32 frame_count) {
  u32 node = session_->stacks.insert(frames, frame_count, record_->last);
  if (node != StackTable::kNoNode) return node;
  // The row keeps its times; its stack is lost and counted.
  record_->lost[static_cast<u32>(LossReason::StackTableFull)].add_relaxed(1);
  return 0;
}

u32 Capture::commit_frames(const Frame* frames, u32 frame_count) {
  u32 node = insert(frames, frame_count);
  commit_node(node);
  return node;
}

void Capture::commit_known(u32 node) {
  record_->last.is_older = true;
  commit_node(node);
}

u64 Capture::commit_aside(i64 begin_ns) {
  push(*session_, *record_, row_);
  return book(begin_ns, true);
}

// Under the kind of its row.
u64 Capture::book(i64 begin_ns, bool is_row) {
  // One that took far longer than others was interrupted: that time went to another thread. It counts in full in the
  // histogram only.
  u64 took = static_cast<u64>(max_of<i64>(now_ns() - begin_ns, 1));
  u64 plausible = walk_ ? kPlausibleCostNs : kPlausibleOutsideCostNs;
  u64 cost = min_of(took, max_of<u64>(u64{record_->mean_cost_ns} * 4, plausible));
  CostHistogram& costs = session_->costs[static_cast<u32>(row_.kind)];
  costs.total_ns.add_relaxed(cost);
  if (forced_) session_->forced_ns.add_relaxed(cost);
  if (is_row) costs.buckets[min_of<u32>(63 - __builtin_clzll(took), CostHistogram::kBuckets - 1)].add_relaxed(1);
  return cost;
}

void Capture::commit_repeat(u32 node) {
  begin_ns_ = 0;
  session_->repeats.add_relaxed(1);
  commit_node(node);
}

void Capture::commit_node(u32 node) {
  row_.stack = node;
  row_.counters &= ~kCounterCpuTimed;
  if (session_->has_timers.load_relaxed()) row_.counters |= kCounterCpuTimed;
  i64 now = now_ns();
  keep(*session_, *record_, row_, now);
  u64 tick = tick_now();
  record_->last_tick.store_relaxed(tick);
  if (!forced_) record_->evidence_tick.store_relaxed(tick);
  u32 mean = record_->mean_cost_ns;
  u64 cost = begin_ns_ ? book(begin_ns_, true) : 0;
  if (walk_) {
    record_->counters = row_;
    // The budget: a thread whose captures cost c may have one every c / budget.
    record_->mean_cost_ns = static_cast<u32>(mean ? (u64{mean} * 7 + cost) / 8 : cost);
    u64 budget = session_->config.budget_ppm;
    i64 interval = session_->interval_ns();
    if (budget) interval = max_of(interval, static_cast<i64>(u64{record_->mean_cost_ns} * 1000000 / budget));
    if (!forced_) record_->due_tick.store_relaxed(tick + ns_to_ticks(interval));
  }
  leave();
}

void Capture::lose(LossReason reason) {
  record_->lost[static_cast<u32>(reason)].add_relaxed(1);
  leave();
}

void Capture::leave() {
  if (walk_) walk_->taken.store_release(0);
  if (record_) record_->busy.store(Holder::Nobody);
  walk_ = nullptr;
  record_ = nullptr;
}

void flush_pending(Session& session, ThreadRecord& record, i64 age_ns) {
  if (!hold(record, Holder::Agent)) return;
  if (record.session.load_relaxed() == session.id && record.has_pending.load_relaxed() &&
      now_ns() - record.pending_since_ns >= age_ns) {
    record.follows = push(session, record, record.pending);
    record.before = record.pending;
    record.has_pending.store_relaxed(0);
  }
  record.busy.store(Holder::Nobody);
}

void complete_pending(Session& session, ThreadRecord& record, i64 time_ns, const OutsideWalk& walk) {
  // The row is counted already.
  i64 cost = min_of<i64>(now_ns() - walk.begin_ns, kPlausibleOutsideCostNs);
  session.costs[static_cast<u32>(SampleKind::AsyncSelf)].total_ns.add_relaxed(static_cast<u64>(cost));
  if (!walk.count || !hold(record, Holder::Agent)) return;
  Row& row = record.pending;
  // Of folded rows only the last one stood where it was walked.
  if (record.session.load_relaxed() == session.id && record.has_pending.load_relaxed() && row.time_ns == time_ns &&
      row.message == walk.message && !row.merged) {
    u32 node = session.stacks.insert(walk.frames, walk.count, record.last);
    if (node != StackTable::kNoNode) {
      row.stack = node;
      row.kind = SampleKind::AsyncOutside;
      row.flags = walk.flags;
      record.pending_stack.store_relaxed(node);
    }
  }
  record.busy.store(Holder::Nobody);
}

bool row_of_open_block(Session& session, ThreadRecord& record, const OpenBlock& open, i64 now_ns, Row& row) {
  if (!hold(record, Holder::Agent)) return false;
  if (record.session.load_relaxed() != session.id) adopt(session, record);
  if (open.is_from_before && record.counters.time_ns) {
    record.busy.store(Holder::Nobody);
    return false;
  }
  row = Row{};
  row.carry_on(record.counters);
  u32 node = open.frames ? session.stacks.insert(open.frames, open.count, record.last) : open.stack;
  record.busy.store(Holder::Nobody);
  row.stack = node == StackTable::kNoNode ? 0 : node;
  row.counters &= ~kCounterCpuTimed;
  row.counters |= kCounterCpu;
  if (session.has_timers.load_relaxed()) row.counters |= kCounterCpuTimed;
  const Blocked& block = open.block;
  row.kind = open.kind;
  row.time_ns = session.since_origin(block.begin_ns);
  row.duration_ns = max_of<i64>(now_ns - block.begin_ns, 1);
  row.cpu_ns = block.begin_cpu_ns;
  row.cpu_duration_ns = max_of<i64>(open.now_cpu_ns - block.begin_cpu_ns, 0);
  row.object = block.object;
  row.type = block.type;
  row.peer = block.peer;
  row.flags = block.flags | kFlagStillWaits;
  return true;
}

u32 index_in(Session& session, ThreadRecord& record) {
  // Who holds it may be numbering it just now.
  for (int turn = 0; turn < kPatience; turn++) {
    if (record.session.load_acquire() == session.id) return record.index.load_relaxed();
    Holder found = Holder::Nobody;
    if (record.busy.swap_if(found, Holder::Agent)) {
      if (record.session.load_relaxed() != session.id) adopt(session, record);
      record.busy.store(Holder::Nobody);
      return record.index.load_relaxed();
    }
    if (found == Holder::Never) break;
    relax();
  }
  return 0;
}

}  // namespace btrace
