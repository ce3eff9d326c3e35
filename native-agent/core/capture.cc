#include "core/capture.h"

#include "base/clock.h"
#include "core/waits.h"
#include "os/process.h"

namespace btrace {

namespace {

// The agent holds a record for some 100 ns at a time, unless it is kept from running. A thread that meets it looks
// again this often, then gives up; with what nothing else would tell of, it waits so often first.
constexpr int kPatience = 400;
constexpr int kMorePatience = kPatience + 200;
// Nothing is lost then: the gate stays open for the next one.
constexpr int kNoPatience = 1;
constexpr i64 kPatientWaitNs = 50 * kNsPerUs;
// Shorter than that no row says that a native thread stood still.
constexpr i64 kShortestStandNs = kNsPerMs;
// A row costs a tenth of it.
constexpr i64 kWorthEndNs = 20 * kNsPerUs;
// Of one whose CPU time nobody has read.
constexpr u64 kPlausibleCostNs = 50 * kNsPerUs;
// One that took so many times as long as others may have been interrupted, and that time went to another thread.
constexpr u64 kSuspicious = 3;

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
      sleep_ns(kPatientWaitNs);
  }
  if (patience > kNoPatience) record.held.lost[static_cast<u32>(LossReason::BufferFull)].add_relaxed(1);
  return false;
}

// The next read of a clock comes soon. A marker was asked for by name, and of a thread that starts no later sample
// tells who started it.
int patience_with(SampleKind kind) {
  if (kind == SampleKind::ClockRead) return kNoPatience;
  return kind == SampleKind::Marker || kind == SampleKind::ThreadStart ? kMorePatience : kPatience;
}

u32 next_index(Session& session) {
  return session.thread_count.add(1) + 1;
}

// Capture state left by an earlier session is void: its segments went with that session's pool.
void adopt(Session& session, ThreadRecord& record, u32 index) {
  record.held.has_pending.store_relaxed(0);
  record.held.follows = false;
  record.held.counters = Row{};
  record.held.usage_read_ns = 0;
  record.held.shard.reset();
  record.held.last.depth = 0;
  record.held.last.epoch = 0;
  record.held.mean_cost_ns = 0;
  record.held.begin_cpu_ns = -1;
  record.held.begins_at = 0;
  record.held.due_tick.store_relaxed(0);
  record.held.read_due_tick.store_relaxed(0);
  record.own.waits_paid_tick = record.own.waits_left_out_ns = record.own.waits_left_out = 0;
  record.own.unseen_waits_ns = record.own.seen_wait_end_ns = 0;
  record.timer.due_intervals.store_relaxed(0);
  record.held.last_tick.store_relaxed(0);
  record.held.evidence_tick.store_relaxed(0);
  for (u32 reason = 0; reason < kLossReasons; reason++) {
    record.held.lost[reason].store_relaxed(0);
    record.drained.lost[reason] = 0;
  }
  record.index.store_relaxed(index);
  record.session.store_release(session.id);
}

WalkBuffer* free_walk_buffer(Session& session, u32 start) {
  for (u32 i = 0; i < Session::kWalkBuffers; i++) {
    WalkBuffer& buffer = session.walk_buffers[(start + i) % Session::kWalkBuffers];
    if (!buffer.taken.load_relaxed() && !buffer.taken.exchange(1)) return &buffer;
  }
  return nullptr;
}

bool push(Session& session, ThreadRecord& record, const Row& row) {
  if (!session.full.load_relaxed()) {
    if (record.held.shard.push(session.pool, row)) return true;
    if (session.config.policy == Policy::StopWhenFull) session.full.store(1);
  }
  record.held.lost[static_cast<u32>(LossReason::BufferFull)].add_relaxed(row.stands_for());
  return false;
}

void keep(Session& session, ThreadRecord& record, const Row& row, i64 now) {
  if (record.held.has_pending.load_relaxed()) {
    const bool repeats = record.held.follows && mergeable(record.held.before, record.held.pending);
    if (repeats && mergeable(record.held.pending, row)) {
      u32 merged = record.held.pending.stands_for();
      record.held.pending = row;
      record.held.pending.merged = merged;
      return;
    }
    record.held.follows = push(session, record, record.held.pending);
    record.held.before = record.held.pending;
  }
  record.held.pending = row;
  record.held.pending_stack.store_relaxed(row.stack);
  record.held.pending_since_ns = now;
  record.held.has_pending.store_relaxed(1);
}

// Where the main thread alone is asked for: what holds it up is told, too.
bool concerns_main(SampleKind kind, const ThreadRecord& record) {
  return record.is_main || kind == SampleKind::Gc || kind == SampleKind::Notify || kind == SampleKind::Unpark ||
         kind == SampleKind::MonitorRelease;
}

}  // namespace

bool HeldRecord::enter(ThreadRecord* record, SampleKind kind, Holder holder) {
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
  if (record->session.load_relaxed() != session_->id) adopt(*session_, *record, next_index(*session_));
  return true;
}

bool Capture::begin_open(ThreadRecord* record, SampleKind kind, bool open, bool force) {
  if (!enter(record, kind, Holder::Thread)) return false;
  if (!take_walk_buffer()) {
    lose(LossReason::BufferFull);
    return false;
  }
  begin_ns_ = now_ns();
  record->held.begin_cpu_ns = -1;
  row_.time_ns = session_->since_origin(begin_ns_);
  if (record->held.begins_at) tell_begin();
  forced_ = force;
  if (!open) row_.flags |= kFlagForced;
  return true;
}

bool Capture::begin_for_other_thread(ThreadRecord* record, SampleKind kind, i64 begin_ns, u64 begin_tick, OtherThreadCost spent) {
  if (!enter(record, kind, Holder::Agent)) return false;
  other_thread_cost_ = spent;
  if (record->held.last_tick.load_relaxed() > begin_tick) {
    leave();
    return false;
  }
  begin_ns_ = begin_ns;
  row_.time_ns = session_->since_origin(begin_ns);
  row_.carry_on(record->held.counters);
  if (record->held.begins_at) tell_begin();
  return true;
}

bool HeldRecord::take_walk_buffer() {
  walk_ = free_walk_buffer(*session_, record_->slot);
  return walk_ != nullptr;
}

u32 HeldRecord::node_of(const Frame* frames, u32 frame_count) {
  u32 node = session_->stacks.insert(frames, frame_count, record_->held.last);
  if (node != StackTable::kNoNode) return node;
  // The row keeps its times; its stack is lost and counted.
  record_->held.lost[static_cast<u32>(LossReason::StackTableFull)].add_relaxed(1);
  return 0;
}

u64 SideCapture::commit(i64 begin_ns) {
  push(*session_, *record_, row_);
  return charge(begin_ns, true);
}

// In CPU time. The thread's CPU clock costs some 500 ns to read, the monotonic one 25: as long as a capture takes as
// long as others do, it was not interrupted, and the two tell the same. The first one of a thread is always in doubt.
u64 HeldRecord::cost_of(u64 took_ns) {
  if (other_thread_cost_.begin_cpu_ns >= 0) {
    const u64 by_agent = static_cast<u64>(max_of<i64>(own_cpu_ns() - other_thread_cost_.begin_cpu_ns, 1));
    session_->by_agent_ns.add_relaxed(by_agent);
    return by_agent + static_cast<u64>(other_thread_cost_.in_thread_ns);
  }
  const u64 usual = u64{record_->held.mean_cost_ns} * kSuspicious;
  if (took_ns <= usual) return took_ns;
  if (walk_ && record_->held.begin_cpu_ns >= 0)
    return static_cast<u64>(max_of<i64>(own_cpu_ns() - record_->held.begin_cpu_ns, 1));
  return min_of(took_ns, max_of(usual, kPlausibleCostNs));
}

// Under the kind of its row. In the histogram it counts with the time that it took.
u64 HeldRecord::charge(i64 begin_ns, bool is_row) {
  u64 took = static_cast<u64>(max_of<i64>(now_ns() - begin_ns, 1));
  u64 cost = cost_of(took);
  CostHistogram& costs = session_->costs[static_cast<u32>(row_.kind)];
  costs.total_ns.add_relaxed(cost);
  if (forced_) {
    session_->forced_ns.add_relaxed(cost);
    if (is_row) session_->forced.add_relaxed(1);
  }
  if (is_row) costs.buckets[min_of<u32>(63 - __builtin_clzll(took), CostHistogram::kBuckets - 1)].add_relaxed(1);
  return cost;
}

void Capture::commit_node(u32 node, Stack how) {
  if (how == Stack::Known) record_->held.last.is_older = true;
  if (how == Stack::Repeat) {
    begin_ns_ = 0;
    session_->repeats.add_relaxed(1);
  }
  row_.stack = node;
  LoopLog* loop = row_.duration_ns >= LoopLog::kLeastWaitNs ? record_->loop.load_relaxed() : nullptr;
  if (loop) {
    const i64 wait_begin_ns = session_->origin_ns + row_.time_ns;
    loop->waited(wait_begin_ns, wait_begin_ns + row_.duration_ns, node);
  }
  row_.counters &= ~kCounterCpuTimed;
  if (session_->has_timers.load_relaxed()) row_.counters |= kCounterCpuTimed;
  i64 now = now_ns();
  keep(*session_, *record_, row_, now);
  u64 tick = tick_now();
  record_->held.last_tick.store_relaxed(tick);
  if (!forced_) record_->held.evidence_tick.store_relaxed(tick);
  u32 mean = record_->held.mean_cost_ns;
  u64 cost = begin_ns_ ? charge(begin_ns_, true) : 0;
  if (walk_) {
    record_->held.counters = row_;
    // The budget: a thread whose captures cost c may have one every c / budget.
    record_->held.mean_cost_ns = static_cast<u32>(mean ? (u64{mean} * 7 + cost) / 8 : cost);
    u64 budget = session_->config.budget_ppm;
    i64 interval = session_->interval_ns();
    if (budget) interval = max_of(interval, static_cast<i64>(u64{record_->held.mean_cost_ns} * 1000000 / budget));
    Atomic<u64>& due = row_.kind == SampleKind::ClockRead ? record_->held.read_due_tick : record_->held.due_tick;
    if (!forced_) due.store_relaxed(tick + ns_to_ticks(interval));
  }
  leave();
}

void Capture::tell_begin() {
  const Frame begins_at{record_->held.begins_at, -1};
  record_->held.begins_at = 0;
  Row begins{};
  begins.kind = SampleKind::ExternalSampler;
  begins.time_ns = min_of(session_->since_origin(record_->begin_ns.load_relaxed()), row_.time_ns - 1);
  begins.counters = kCounterCpu;
  if (session_->has_timers.load_relaxed()) begins.counters |= kCounterCpuTimed;
  begins.stack = node_of(&begins_at, 1);
  keep(*session_, *record_, begins, now_ns());
}

void Capture::tell_end(ThreadRecord* record, const Frame& frame) {
  forced_ = true;
  if (!enter(record, SampleKind::ExternalSampler, Holder::Thread)) return;
  const HeldState& held = record_->held;
  const bool is_first = !held.has_pending.load_relaxed() && !held.follows;
  const i64 told_ns = told_cpu_ns(held);
  const i64 now = now_ns();
  const i64 cpu = own_cpu_ns();
  // Of one that was there before the recording and has no row nobody knows what it used since.
  if ((is_first && !held.begins_at) || cpu - told_ns < kWorthEndNs) return leave();
  row_.time_ns = session_->since_origin(now);
  if (held.begins_at) tell_begin();
  row_.carry_on(held.counters);
  row_.counters |= kCounterCpu;
  row_.cpu_ns = cpu;
  commit_node(node_of(&frame, 1));
}

u32 Capture::stood_until_now(const Frame& root) {
  const u32 root_node = node_of(&root, 1);
  ThreadRecord& record = *record_;
  // What it captured itself, as a collection, tells of it as well.
  const Row& own = record.held.counters;
  const i64 since = max_of(record.held.stood_ns, own.time_ns + own.duration_ns);
  const i64 cpu_since = max_of(record.held.stood_cpu_ns, own.cpu_ns + own.cpu_duration_ns);
  const i64 began = row_.time_ns - max_of<i64>(row_.cpu_ns - cpu_since, 0);
  const i64 now = now_ns();
  Row stands{};
  stands.carry_on(own);
  stands.kind = SampleKind::ExternalSampler;
  stands.stack = root_node;
  stands.counters |= kCounterCpu | kCounterCpuTimed;
  stands.cpu_ns = cpu_since;
  stands.time_ns = since + 1;
  const bool was_still = began - since > kShortestStandNs;
  if (was_still || !record.held.has_stood) keep(*session_, record, stands, now);
  stands.time_ns = began;
  if (was_still) keep(*session_, record, stands, now);
  record.held.has_stood = true;
  record.held.stood_ns = row_.time_ns;
  record.held.stood_cpu_ns = row_.cpu_ns;
  return root_node;
}

void HeldRecord::lose(LossReason reason) {
  record_->held.lost[static_cast<u32>(reason)].add_relaxed(1);
  leave();
}

void HeldRecord::leave() {
  if (walk_) walk_->taken.store_release(0);
  if (record_) record_->busy.store(Holder::Nobody);
  walk_ = nullptr;
  record_ = nullptr;
}

i64 told_cpu_ns(const HeldState& held) {
  const bool has_pending = held.has_pending.load_relaxed();
  if (!has_pending && !held.follows) return 0;
  const Row& last = has_pending ? held.pending : held.before;
  return last.cpu_ns + last.cpu_duration_ns;
}

void flush_pending(Session& session, ThreadRecord& record, i64 age_ns) {
  if (!hold(record, Holder::Agent)) return;
  if (record.session.load_relaxed() == session.id && record.held.has_pending.load_relaxed() &&
      now_ns() - record.held.pending_since_ns >= age_ns) {
    record.held.follows = push(session, record, record.held.pending);
    record.held.before = record.held.pending;
    record.held.has_pending.store_relaxed(0);
  }
  record.busy.store(Holder::Nobody);
}

void complete_pending(Session& session, ThreadRecord& record, i64 time_ns, const OtherThreadWalk& walk) {
  // The row is counted already, and so is the CPU time of the agent's own threads.
  session.costs[static_cast<u32>(SampleKind::CpuTimer)].total_ns.add_relaxed(static_cast<u64>(walk.in_thread_ns));
  if (!walk.count || !hold(record, Holder::Agent)) return;
  Row& row = record.held.pending;
  // Of merged rows only the last one stood where it was walked.
  if (record.session.load_relaxed() == session.id && record.held.has_pending.load_relaxed() && row.time_ns == time_ns &&
      row.loop_message == walk.loop_message && !row.merged) {
    u32 node = session.stacks.insert(walk.frames, walk.count, record.held.last);
    if (node != StackTable::kNoNode) {
      row.stack = node;
      row.kind = SampleKind::ExternalSampler;
      row.flags = walk.flags;
      record.held.pending_stack.store_relaxed(node);
    }
  }
  record.busy.store(Holder::Nobody);
}

bool row_of_open_wait(Session& session, ThreadRecord& record, const OpenWait& open, i64 now_ns, Row& row) {
  if (!hold(record, Holder::Agent)) return false;
  if (record.session.load_relaxed() != session.id) adopt(session, record, next_index(session));
  if (open.is_from_before && record.held.counters.time_ns) {
    record.busy.store(Holder::Nobody);
    return false;
  }
  row = Row{};
  row.carry_on(record.held.counters);
  u32 node = open.frames ? session.stacks.insert(open.frames, open.count, record.held.last) : open.stack;
  row.cpu_ns = cpu_at_begin(session, record, open.wait, open.now_cpu_ns);
  record.busy.store(Holder::Nobody);
  row.stack = node == StackTable::kNoNode ? 0 : node;
  row.counters &= ~kCounterCpuTimed;
  row.counters |= kCounterCpu;
  if (session.has_timers.load_relaxed()) row.counters |= kCounterCpuTimed;
  const Wait& wait = open.wait;
  row.kind = open.kind;
  row.time_ns = session.since_origin(wait.begin_ns);
  row.duration_ns = max_of<i64>(now_ns - wait.begin_ns, 1);
  row.cpu_duration_ns = max_of<i64>(open.now_cpu_ns - row.cpu_ns, 0);
  row.object = wait.object;
  row.type = wait.type;
  row.peer = wait.peer;
  row.flags = wait.flags | kFlagOpenWait;
  return true;
}

u32 index_in(Session& session, ThreadRecord& record) {
  // Who holds it may be numbering it just now.
  for (int turn = 0; turn < kPatience; turn++) {
    if (record.session.load_acquire() == session.id) return record.index.load_relaxed();
    Holder found = Holder::Nobody;
    if (record.busy.swap_if(found, Holder::Agent)) {
      if (record.session.load_relaxed() != session.id) adopt(session, record, next_index(session));
      record.busy.store(Holder::Nobody);
      return record.index.load_relaxed();
    }
    if (found == Holder::Never) break;
    relax();
  }
  return 0;
}

void begin_thread(Session& session, ThreadRecord& record, u64 frame) {
  if (hold(record, Holder::Thread)) {
    // The sampler may have met it before, with a row of its own.
    if (record.session.load_relaxed() != session.id) {
      adopt(session, record, next_index(session));
      record.held.begins_at = frame;
    }
    record.busy.store(Holder::Nobody);
  }
  index_in(session, record);
}

bool index_as(Session& session, ThreadRecord& record, u32 index) {
  Holder found = Holder::Nobody;
  if (!record.busy.swap_if(found, Holder::Agent)) return false;
  const bool is_free = record.session.load_relaxed() != session.id;
  if (is_free) adopt(session, record, index);
  record.busy.store(Holder::Nobody);
  return is_free;
}

}  // namespace btrace
