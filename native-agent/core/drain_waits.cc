// Waits that have not ended when the recording does: off-carrier waits, and open waits of threads.
#include "base/clock.h"
#include "base/pages.h"
#include "core/capture.h"
#include "core/drain.h"
#include "core/waits.h"

namespace btrace {

void Drain::cut_off_carrier_waits(Bytes& out, i64 now_ns) {
  const StackTables& stacks = session_->stacks;
  run_count_ = wait_count_ = 0;
  // What was left out behind the last one that was captured.
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    const ThreadRecord& record = g_threads.at(slot);
    if (record.session.load_acquire() != session_->id || !record.own.waits_left_out) continue;
    if (wait_count_ == kBatchRows) continue;
    waits_[wait_count_++] = {session_->since_origin(now_ns), 0, record.own.waits_left_out_ns, record.own.waits_left_out,
                             record.index.load_relaxed()};
  }
  u64 id;
  OffCarrierWait wait;
  for (u32 at = 0; session_->off_carrier_waits.next(at, id, wait);) {
    if (wait_count_ == kBatchRows) {
      cut_rows(out, 0);
      wait_count_ = 0;
    }
    // Of a table that has been emptied since nothing is known any more.
    bool known = stacks.has(wait.stack);
    waits_[wait_count_++] = {session_->since_origin(wait.begin_ns),
                             max_of<i64>(now_ns - wait.begin_ns, 1),
                             0,
                             0,
                             wait.thread,
                             static_cast<u32>(id),
                             known ? wait.stack : 0,
                             kFlagOpenWait};
  }
  if (wait_count_) cut_rows(out, 0);
}

// ---------------------------------------------------------------- open waits of threads

namespace {

struct Published {
  SampleKind kind = SampleKind::Unknown;
  Wait wait{};
  bool is_there = false;
};

Published published_by(const Session& session, const ThreadRecord& record) {
  Published found;
  found.is_there = read_published_wait(record, found.kind, found.wait) && found.wait.session == session.id;
  return found.is_there ? found : Published{};
}

// So long may those be walked of which nobody knows where they stand: there may be thousands.
constexpr i64 kWalksNs = 500 * kNsPerMs;

}  // namespace

bool Drain::inspect_open_wait(ThreadRecord& record, i64 from_ns, i64 now_ns, Frame* frames, OpenRow& open) {
  Published found = published_by(*session_, record);
  open.begin_ns = found.wait.begin_ns;
  runtime_->inspect_wait(*session_, record, 0, found.kind, found.wait);
  if (found.kind == SampleKind::Unknown || !session_->config.wants(found.kind)) return false;
  OpenWait wait{found.kind, found.wait, thread_cpu_ns(record.tid.load_relaxed()), false, nullptr, 0, 0};
  if (wait.now_cpu_ns < 0) return false;
  Stood stood = where_it_stood(*session_, record);
  if (!open.begin_ns) {
    // A wait that nobody has published began before the points were installed, or after they were removed: only of a thread that was never
    // seen anywhere else it is the former.
    if (!stood.stack || record.carries.load_relaxed()) return false;
    wait.is_from_before = true;
    wait.wait.begin_ns = max_of(session_->origin_ns, record.begin_ns.load_relaxed());
    wait.wait.begin_cpu_ns = wait.now_cpu_ns;
    wait.wait.flags |= kFlagFromBefore;
  }
  const bool stands = open.begin_ns ? stood.at_ns > open.begin_ns : !frames || stood.cpu_ns == wait.now_cpu_ns;
  if (wait.wait.begin_ns < from_ns) {
    wait.wait.begin_ns = from_ns;
    wait.wait.flags |= kFlagFromBefore;
  }
  WalkNotes notes;
  notes.flags = kFlagSafepoint;
  if (stood.stack && stands) {
    wait.stack = stood.stack;
    notes = stood.notes;
  } else {
    i32 count = frames ? runtime_->walk_other_thread(record, frames, WalkBuffer::kFrames, notes) : 0;
    if (count <= 0) return false;
    wait.frames = frames;
    wait.count = static_cast<u32>(count);
  }
  if (!row_of_open_wait(*session_, record, wait, now_ns, open.row)) return false;
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
  Published found = published_by(*session_, record);
  runtime_->inspect_wait(*session_, record, session_->stacks.at(row.stack).code, found.kind, found.wait);
  const bool is_same = open.begin_ns ? published_by(*session_, record).wait.begin_ns == open.begin_ns
                                     : !found.is_there && found.kind == row.kind && found.wait.object == row.object;
  row.kind = found.kind;
  row.type = found.wait.type;
  row.object = found.wait.object;
  row.peer = found.wait.peer;
  row.flags = static_cast<u16>((row.flags & ~kFlagOwnerEstimated) | found.wait.flags);
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
    Published found = published_by(*session_, record);
    runtime_->inspect_wait(*session_, record, 0, found.kind, found.wait);
    order[found.kind == SampleKind::Monitor || found.wait.peer ? first++ : --last] = slot;
  }
  while (last < slots) order[first++] = order[last++];
  return first;
}

void Drain::cut_open_waits(Bytes& out, i64 from_ns, i64 now_ns, bool may_walk) {
  Frame* frames = may_walk && runtime_->can_walk_other_threads() ? map_array<Frame>(WalkBuffer::kFrames) : nullptr;
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
      if (inspect_open_wait(record, from_ns, now_ns, in_time ? frames : nullptr, open[seen])) seen++;
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
