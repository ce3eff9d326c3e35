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
  return record.session.load_relaxed() != session || tick_now() >= record.held.due_tick.load_relaxed();
}

// Of clock reads alone, beside the gate: closed until their own interval has passed.
inline bool read_is_due(const ThreadRecord& record) {
  return record.session.load_relaxed() != active_session_id() ||
         tick_now() >= record.held.read_due_tick.load_relaxed();
}

// What both kinds of capture do: they hold the thread's record, and may have a buffer to walk into.
class HeldRecord {
 public:
  HeldRecord() = default;
  ~HeldRecord() {
    if (record_) leave();
  }
  HeldRecord(const HeldRecord&) = delete;
  HeldRecord& operator=(const HeldRecord&) = delete;

  // Between begin and end.
  Frame* frames() { return walk_->frames; }
  Row& row() { return row_; }
  Session& session() { return *session_; }
  ThreadRecord& record() { return *record_; }
  // The node of a stack, leaf first; 0 when there was no room for it: that is counted.
  u32 node_of(const Frame* frames, u32 frame_count);
  u32 node_of(u32 frame_count) { return node_of(walk_->frames, frame_count); }

  // Ends it: nothing came of it.
  void lose(LossReason reason);
  // Nothing came of it, and somebody else will see to it.
  void abandon() { leave(); }

 protected:
  bool enter(ThreadRecord* record, SampleKind kind, Holder holder);
  bool take_walk_buffer();
  u64 charge(i64 begin_ns, bool is_row);
  void leave();

  Session* session_ = nullptr;
  ThreadRecord* record_ = nullptr;
  WalkBuffer* walk_ = nullptr;
  bool forced_ = false;
  struct OtherThreadCost {
    i64 begin_cpu_ns = -1;  // the agent's thread's CPU clock before; -1: not read, there is no cost to charge
    i64 in_thread_ns = 0;   // an estimate of what the thread itself spent
  } other_thread_cost_;
  Row row_;  // cleared on the way in

 private:
  u64 cost_of(u64 took_ns);
};

// A sample of a thread. In this order: one begin, a walk into frames() and what is known into row(), one commit.
class Capture : public HeldRecord {
 public:
  using OtherThreadCost = HeldRecord::OtherThreadCost;

  // On the thread itself. False: not wanted, too early, within another capture, or lost and counted.
  bool begin(ThreadRecord* record, SampleKind kind, bool force) {
    if (!record) return false;
    bool open = gate_open(*record);
    return (open || force) && begin_open(record, kind, open, force);
  }
  // On the thread itself, interrupted by its CPU timer: these come no oftener than they should, so the gate is not
  // asked.
  bool begin_interrupted(ThreadRecord* record) { return begin_open(record, SampleKind::CpuTimer, true, false); }
  // From the agent's own thread for another one. False when that thread is capturing itself: then there is no need.
  // `begin_ns` is when the walk began (monotonic); a capture that came in between makes this one pointless too.
  // `spent`: what the walk has cost so far. There is no room for a walk.
  bool begin_for_other_thread(ThreadRecord* record, SampleKind kind, i64 begin_ns, u64 begin_tick, OtherThreadCost spent);

  i64 begin_ns() const { return begin_ns_; }

  // Before the commit, of a thread that is seen by its interrupts alone: all of the CPU time since its last row was
  // used just now, and between the two it stood at `root`, which is where all its stacks begin. That makes two more
  // rows where it was long. The root's node.
  u32 stood_until_now(const Frame& root);

  // With a stack, leaf first, as the walk gave it.
  void commit(u32 frame_count) { commit_node(node_of(frame_count)); }
  enum class Stack : u8 {
    Walked,  // by this capture
    Known,   // recognised: it was walked before (Session::known)
    Repeat,  // the thread has not moved since a walk: there is no cost to charge
  };
  void commit_node(u32 node, Stack how = Stack::Walked);

  // On the thread itself, as it ends: gives it a row at `frame` if it has used CPU time since its last row that is
  // worth one. A short thread may have no other.
  void tell_end(ThreadRecord* record, const Frame& frame);

 private:
  void tell_begin();
  bool begin_open(ThreadRecord* record, SampleKind kind, bool open, bool force);

  i64 begin_ns_ = 0;
};

// On the thread itself, for what is no sample of it: neither the gate is asked nor the thread's own samples touched.
class SideCapture : public HeldRecord {
 public:
  bool begin(ThreadRecord* record, SampleKind kind) {
    forced_ = true;
    return enter(record, kind, Holder::Thread);
  }
  // Room for a walk, if there is some.
  bool take_frames() { return take_walk_buffer(); }
  // The row as it is. Returns what it cost since `begin_ns` (monotonic).
  u64 commit(i64 begin_ns);
  // The same for a walk that gives no row, or not yet.
  u64 charge_walk(i64 begin_ns) { return charge(begin_ns, false); }
};

// The CPU clock of a thread that its newest row has told; 0 where it has none. For who holds the record.
i64 told_cpu_ns(const HeldState& held);

// The drain's part: moves a pending row that is older than `age_ns` into the shard.
void flush_pending(Session& session, ThreadRecord& record, i64 age_ns);
// Gives a thread's newest row, captured at `time_ns`, the stack that the external sampler walked since. Does nothing
// if a newer row exists, or if the row belongs to another loop message.
struct OtherThreadWalk {
  i64 in_thread_ns;  // an estimate of what the walk took the thread itself
  const Frame* frames;
  u32 count;  // 0: there was nothing to walk any more
  u32 loop_message;
  u16 flags;
};
void complete_pending(Session& session, ThreadRecord& record, i64 time_ns, const OtherThreadWalk& walk);
// Makes the row of another thread's wait that has not ended by `now_ns` (monotonic), with the stack that the thread
// stands in. False if the thread is capturing just now.
struct OpenWait {
  SampleKind kind;
  Wait wait;
  i64 now_cpu_ns;       // the thread's CPU clock
  bool is_from_before;  // then nothing may have been captured on the thread itself
  const Frame* frames;  // of a walk; nullptr: it stands at `stack`
  u32 count;
  u32 stack;
};
bool row_of_open_wait(Session& session, ThreadRecord& record, const OpenWait& open, i64 now_ns, Row& row);
// The recording's index of a thread, given now if it has none yet.
u32 index_in(Session& session, ThreadRecord& record);
// On the thread itself, as it begins: it gets an index, and its first row will be one that says that it began at
// `frame` and had used no CPU time.
void begin_thread(Session& session, ThreadRecord& record, u64 frame);
// Gives it one that was counted in thread_count before. False where it has one, or somebody holds it.
bool index_as(Session& session, ThreadRecord& record, u32 index);

}  // namespace btrace
