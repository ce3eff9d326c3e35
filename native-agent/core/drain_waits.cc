// What has not ended when a recording does: waits of virtual threads, and blocks that threads are in.
#include "base/clock.h"
#include "base/pages.h"
#include "core/capture.h"
#include "core/drain.h"
#include "core/waits.h"

namespace btrace {

void Drain::cut_open_waits(Bytes& out, i64 now_ns) {
  const StackTables& stacks = session_->stacks;
  run_count_ = wait_count_ = 0;
  // What was left out behind the last one that was captured.
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    const ThreadRecord& record = g_threads.at(slot);
    if (record.session.load_acquire() != session_->id || !record.waits_left_out || wait_count_ == kBatchRows) continue;
    waits_[wait_count_++] = {session_->since_origin(now_ns), 0, record.waits_left_out_ns, record.waits_left_out,
                             record.index.load_relaxed()};
  }
  u64 id;
  OpenWait wait;
  for (u32 at = 0; session_->open_waits.next(at, id, wait);) {
    if (wait_count_ == kBatchRows) {
      cut_rows(out, 0);
      wait_count_ = 0;
    }
    // Of a table that has been emptied since nothing is known any more.
    bool known = stacks.epoch_of(wait.stack) + 1 >= stacks.epoch();
    waits_[wait_count_++] = {session_->since_origin(wait.begin_ns),
                             max_of<i64>(now_ns - wait.begin_ns, 1),
                             0,
                             0,
                             wait.thread,
                             static_cast<u32>(id),
                             known ? wait.stack : 0,
                             kFlagStillWaits};
  }
  if (wait_count_) cut_rows(out, 0);
}

// ---------------------------------------------------------------- blocks of threads

namespace {

struct Announced {
  SampleKind kind = SampleKind::Unknown;
  Blocked block{};
  bool is_there = false;
};

Announced announced_by(const Session& session, const ThreadRecord& record) {
  Announced found;
  found.is_there = read_block(record, found.kind, found.block) && found.block.session == session.id;
  return found.is_there ? found : Announced{};
}

// Where a sampler of this session saw a thread stand.
struct Stood {
  u32 stack = 0;  // 0: nobody knows
  i64 at_ns = 0;
  i64 cpu_ns = 0;
  WalkNotes notes;
};

Stood where_it_stood(const Session& session, const ThreadRecord& record) {
  Stood stood;
  stood.cpu_ns = record.walked_cpu_ns.load_acquire();
  stood.stack = record.walked_stack.load_acquire();
  stood.at_ns = record.walked_ns.load_acquire();
  stood.notes.flags = record.walked_flags.load_acquire();
  stood.notes.message = record.walked_message.load_acquire();
  const u32 epoch = record.walked_epoch.load_acquire();
  const bool is_ours = record.walked_session.load_acquire() == session.id;
  const bool is_whole = stood.cpu_ns >= 0 && record.walked_cpu_ns.load_relaxed() == stood.cpu_ns;
  return is_ours && is_whole && epoch + 1 >= session.stacks.epoch() ? stood : Stood{};
}

// So long may those be walked of which nobody knows where they stand: there may be thousands.
constexpr i64 kWalksNs = 500 * kNsPerMs;

}  // namespace

bool Drain::see_open_block(ThreadRecord& record, i64 from_ns, i64 now_ns, Frame* frames, OpenRow& open) {
  Announced found = announced_by(*session_, record);
  open.begin_ns = found.block.begin_ns;
  runtime_->see_block(*session_, record, 0, found.kind, found.block);
  if (found.kind == SampleKind::Unknown || !session_->config.wants(found.kind)) return false;
  OpenBlock block{found.kind, found.block, thread_cpu_ns(record.tid.load_relaxed()), false, nullptr, 0, 0};
  if (block.now_cpu_ns < 0) return false;
  Stood stood = where_it_stood(*session_, record);
  if (!open.begin_ns) {
    // What nobody has announced began before points were there, or after they had gone: only of a thread that was never
    // seen anywhere else it is the former.
    if (!stood.stack || record.carries.load_relaxed()) return false;
    block.is_from_before = true;
    block.block.begin_ns = max_of(session_->origin_ns, record.begin_ns.load_relaxed());
    block.block.begin_cpu_ns = block.now_cpu_ns;
    block.block.flags |= kFlagFromBefore;
  }
  const bool stands = open.begin_ns ? stood.at_ns > open.begin_ns : !frames || stood.cpu_ns == block.now_cpu_ns;
  if (block.block.begin_ns < from_ns) {
    block.block.begin_ns = from_ns;
    block.block.flags |= kFlagFromBefore;
  }
  WalkNotes notes;
  notes.flags = kFlagSafepoint;
  if (stood.stack && stands) {
    block.stack = stood.stack;
    notes = stood.notes;
  } else {
    i32 count = frames ? runtime_->walk_outside(record, frames, WalkBuffer::kFrames, notes) : 0;
    if (count <= 0) return false;
    block.frames = frames;
    block.count = static_cast<u32>(count);
  }
  if (!row_of_open_block(*session_, record, block, now_ns, open.row)) return false;
  if (!open.begin_ns && open.row.stack != stood.stack) return false;
  notes.tell(open.row);
  open.record = &record;
  return open.row.stack != 0;
}

// A second look, when all have been seen once. Whoever waits for the same as then has waited for it at one moment with
// all others: so who waits for whom in a circle has no way out.
bool Drain::still_open(OpenRow& open) {
  ThreadRecord& record = *open.record;
  Row& row = open.row;
  Announced found = announced_by(*session_, record);
  runtime_->see_block(*session_, record, session_->stacks.at(row.stack).code, found.kind, found.block);
  const bool is_same = open.begin_ns ? announced_by(*session_, record).block.begin_ns == open.begin_ns
                                     : !found.is_there && found.kind == row.kind && found.block.object == row.object;
  row.kind = found.kind;
  row.type = found.block.type;
  row.object = found.block.object;
  row.peer = found.block.peer;
  row.flags = static_cast<u16>((row.flags & ~kFlagOwnerEstimated) | found.block.flags);
  return is_same && record.state.load_acquire() == ThreadRecord::State::Live;
}

// Whom to look at, and in which order: where walks are slow there is no time for everybody, and nobody may be missing of
// those that wait for each other.
u32 Drain::put_locks_first(u32* order, u32 slots) {
  u32 first = 0, last = slots;
  for (u32 slot = 0; slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.state.load_acquire() != ThreadRecord::State::Live || record.busy.load_relaxed() == Holder::Never ||
        !record.runtime_ref.load_relaxed() || (session_->config.main_only && !record.is_main))
      continue;
    Announced found = announced_by(*session_, record);
    runtime_->see_block(*session_, record, 0, found.kind, found.block);
    order[found.kind == SampleKind::Monitor || found.block.peer ? first++ : --last] = slot;
  }
  while (last < slots) order[first++] = order[last++];
  return first;
}

void Drain::cut_open_blocks(Bytes& out, i64 from_ns, i64 now_ns, bool may_walk) {
  Frame* frames = may_walk && runtime_->walks_outside() ? map_array<Frame>(WalkBuffer::kFrames) : nullptr;
  OpenRow* open = map_array<OpenRow>(kMaxRuns);
  const u32 slots = g_threads.slots();
  u32* order = map_array<u32>(max_of(slots, 1u));
  const u32 count = order ? put_locks_first(order, slots) : 0;
  const i64 walks_until = btrace::now_ns() + kWalksNs;
  for (u32 next = 0; open && next < count;) {
    u32 seen = 0;
    for (; next < count && seen < kMaxRuns; next++) {
      const bool in_time = btrace::now_ns() < walks_until;
      ThreadRecord& record = g_threads.at(order[next]);
      if (see_open_block(record, from_ns, now_ns, in_time ? frames : nullptr, open[seen])) seen++;
    }
    u32 rows = 0;
    run_count_ = wait_count_ = 0;
    for (u32 at = 0; at < seen; at++) {
      if (!still_open(open[at])) continue;
      rows_[rows] = open[at].row;
      runs_[run_count_++] = {open[at].record->index.load_relaxed(), rows++, 1};
    }
    session_->repeats.add_relaxed(rows);
    if (rows) cut_rows(out, rows);
  }
  unmap_array(order, max_of(slots, 1u));
  unmap_array(open, kMaxRuns);
  unmap_array(frames, WalkBuffer::kFrames);
}

}  // namespace btrace
