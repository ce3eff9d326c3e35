#pragma once
// One capture on the way into the recording: gate, walk buffer, row.
//
//   Capture capture;
//   if (!capture.begin(record, SampleKind::Allocation, false)) return;
//   u32 frames = walk(capture.frames());
//   capture.row().type = …;
//   capture.commit(frames);
//
// It takes no lock that another captured thread can hold, allocates nothing and calls nothing that blocks.
#include "base/tick.h"
#include "core/session.h"

namespace btrace {

// Closed when nothing is recorded, and until the thread's interval has passed.
inline bool gate_open(const ThreadRecord& record) {
  u32 session = active_session_id();
  if (!session) return false;
  return record.session.load_relaxed() != session || tick_now() >= record.due_tick.load_relaxed();
}

class Capture {
 public:
  Capture() = default;
  ~Capture() {
    if (record_) leave();
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // On the thread itself. False: not wanted, too early, within another capture, or lost and counted.
  bool begin(ThreadRecord* record, SampleKind kind, bool force) {
    if (!record) return false;
    bool open = gate_open(*record);
    return (open || force) && begin_open(record, kind, open, force);
  }
  // On the thread itself, interrupted by its CPU timer: these come no oftener than they should, so the gate is not
  // asked.
  bool begin_interrupted(ThreadRecord* record) { return begin_open(record, SampleKind::AsyncSelf, true, false); }
  // On the thread itself, for what is no sample of it: neither the gate is asked nor the thread's own samples touched.
  // There is room for a walk only after take_frames().
  bool begin_aside(ThreadRecord* record, SampleKind kind) {
    forced_ = true;
    return enter(record, kind, Holder::Thread);
  }
  bool take_frames();
  // The node of the stack that was walked, 0 when there was no room for it: that is counted.
  u32 node_of(u32 frame_count) { return insert(walk_->frames, frame_count); }
  // The row as it is. Returns what it cost since `begin_ns` (monotonic).
  u64 commit_aside(i64 begin_ns);
  // The same for a walk that gives no row, or not yet.
  u64 book_walk(i64 begin_ns) { return book(begin_ns, false); }
  // From the agent's own thread for another one. False when that thread is capturing itself: then there is no need.
  // `begin_ns` is when the walk began (monotonic); a capture that came in between makes this one pointless too.
  bool begin_outside(ThreadRecord* record, SampleKind kind, i64 begin_ns, u64 begin_tick);

  Frame* frames() { return walk_->frames; }
  Row& row() { return row_; }
  i64 begin_ns() const { return begin_ns_; }
  Session& session() { return *session_; }
  ThreadRecord& record() { return *record_; }
  // With a stack, leaf first, as the walk gave it.
  u32 commit(u32 frame_count) { return commit_frames(walk_->frames, frame_count); }
  // The node it got; 0 when there is none.
  u32 commit_frames(const Frame* frames, u32 frame_count);
  // With the stack that node_of() gave.
  void commit_node(u32 node);
  // Where somebody stood before (Session::known).
  void commit_known(u32 node);
  // Where it stood before: no walk was made, so there is no cost to book.
  void commit_repeat(u32 node);
  // Nothing came of it.
  void lose(LossReason reason);
  // Nothing came of it, and somebody else will see to it.
  void abandon() { leave(); }

 private:
  u32 insert(const Frame* frames, u32 frame_count);
  u64 book(i64 begin_ns, bool is_row);
  bool begin_open(ThreadRecord* record, SampleKind kind, bool open, bool force);
  bool enter(ThreadRecord* record, SampleKind kind, Holder holder);
  void leave();

  Session* session_ = nullptr;
  ThreadRecord* record_ = nullptr;
  WalkBuffer* walk_ = nullptr;
  i64 begin_ns_ = 0;
  bool forced_ = false;
  Row row_;  // cleared on the way in
};

// The drain's part: moves a pending row that is older than `age_ns` into the shard.
void flush_pending(Session& session, ThreadRecord& record, i64 age_ns);
// Gives a thread's newest row, captured at `time_ns`, the stack that was walked from outside since. Does nothing when
// it is the newest no more, or belongs to another message.
struct OutsideWalk {
  i64 begin_ns;  // monotonic
  const Frame* frames;
  u32 count;  // 0: there was nothing to walk any more
  u32 message;
  u16 flags;
};
void complete_pending(Session& session, ThreadRecord& record, i64 time_ns, const OutsideWalk& walk);
// The row of a block of another thread that has not ended by `now_ns` (monotonic), with the stack that it stands in.
// False when the thread captures just now.
struct OpenBlock {
  SampleKind kind;
  Blocked block;
  i64 now_cpu_ns;       // the thread's CPU clock
  bool is_from_before;  // then nothing may have been captured on the thread itself
  const Frame* frames;  // of a walk; nullptr: it stands at `stack`
  u32 count;
  u32 stack;
};
bool row_of_open_block(Session& session, ThreadRecord& record, const OpenBlock& open, i64 now_ns, Row& row);
// The recording's index of a thread, given now if it has none yet.
u32 index_in(Session& session, ThreadRecord& record);

}  // namespace btrace
