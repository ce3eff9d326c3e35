#pragma once
// What the agent knows of one thread of the program, and the registry of all of them.
//
// Records live as long as the process: a capture that begins while a session ends can never meet freed memory.
// They come in slabs, are found by tid, and are used again after their thread has ended and the drain has let go.
#include "base/spin.h"
#include "core/shard.h"
#include "core/stack_tables.h"
#include "os/linux/usage.h"

namespace btrace {

// Never: a thread of the agent itself, which is not captured at all.
enum class Holder : u32 { Nobody = 0, Thread = 1, Agent = 2, Never = 3 };

struct Blocked {
  u32 session;  // 0: not within a block
  i64 begin_ns;
  i64 begin_cpu_ns;
  u64 object;
  u64 type;
  u32 peer;
  u16 flags;
};

struct alignas(64) ThreadRecord {
  // Whoever holds this may capture: the thread itself (it is the recursion guard too) or the agent for a short while.
  Atomic<Holder> busy;
  Atomic<u32> session;    // the session that the capture state belongs to; written by the holder
  Atomic<u64> due_tick;   // the gate: no capture before, unless forced
  Atomic<u64> last_tick;  // of the last capture
  // Of the last one that came by the gate or from outside. Forced ones do not count: a thread that waits every other
  // millisecond would be seen waiting only.
  Atomic<u64> evidence_tick;
  Row counters;  // the last row that read them: rows from outside go on with its totals
  // Of core/kernel_counters.h.
  ThreadUsage usage;
  i64 usage_read_ns;     // when; 0: never
  i64 usage_off_cpu_ns;  // wall less CPU time at the last row
  Atomic<u32> events;    // of a point that comes often, captured or not; the thread's own count
  Atomic<u32> hops;      // of virtual threads onto it and off again; its own count
  // Of waits of virtual threads that ended on it (core/virtual_waits.h).
  u64 waits_paid_tick;    // until when the thread pays for what was captured of them
  u64 waits_left_out_ns;  // since the last one that was captured
  u32 waits_left_out;
  u32 mean_cost_ns;  // of captures on this thread, moving
  Atomic<u32> has_pending;
  Atomic<u32> pending_stack;
  bool follows;  // `before` is the row in front of `pending`
  Row pending;   // the newest row: it may still swallow equal neighbours
  Row before;
  i64 pending_since_ns;
  Shard shard;
  LastStack last;
  Atomic<u32> lost[kLossReasons];

  // Identity. `tid` is set before the record can be found and stays until it is used again.
  enum class State : u32 { Free = 0, Live = 1, Ended = 2 };
  Atomic<State> state;
  Atomic<u32> tid;
  Atomic<u32> index;        // the recording's, given with `session`
  Atomic<u64> java_id;      // what the program calls the thread; 0: not known
  Atomic<u64> stack_begin;  // its stack's lowest address and the one above its highest, where known
  Atomic<u64> stack_end;
  Atomic<u64> runtime_thread;  // JavaThread*, art::Thread*
  Atomic<void*> runtime_ref;   // what the runtime needs to name and walk it
  Atomic<void*> runtime_kept;  // of one that has ended: what keeps its name until it is told
  Atomic<u32> creator;         // index of the creating thread, of the same session
  Atomic<i64> begin_ns;        // monotonic; 0: was there before we looked
  Atomic<i64> end_ns;
  ThreadKind kind;
  bool is_main;
  Atomic<u32> carries;  // was seen to carry virtual threads: its rows' messages are their ids
  Atomic<u64> carried;  // who is on it, where the runtime keeps no such thing: rt/hotspot/virtual_waits.cc
  Atomic<u32> bound;    // the thread's own key points here: only its end frees the record

  // The drain's.
  u32 announced_session;
  u32 announced_carries;
  u32 counted_lost[kLossReasons];

  // Of the CPU timers: put in by the thread's own signal handler, taken out by the sampler.
  Atomic<u32> is_due;
  Atomic<u32> due_intervals;   // that it was interrupted for, and no row stands for yet
  Atomic<i64> provisional_ns;  // time of its newest row, if that wants a stack; 0: it does not
  ThreadRecord* next_due;

  // The outside sampler's.
  i32 timer;
  u32 timer_tid;  // whose CPU time it counts; 0: there is none
  u32 watched_session;
  i64 watched_cpu_ns;  // CPU clock at the last look
  // Where it stood at the last walk, and stands while its CPU clock does. The clock is written first, -1, and last.
  Atomic<i64> walked_cpu_ns;  // just before the walk
  Atomic<u32> walked_stack;
  Atomic<i64> walked_ns;
  Atomic<u32> walked_session;
  Atomic<u32> walked_epoch;  // of the stack tables when it was walked
  Atomic<u16> walked_flags;
  Atomic<u32> walked_message;
  i64 next_look_ns;
  i64 stand_due_ns;  // not to be walked before, where it stands between pieces of work
  i64 look_interval_ns;
  i64 rest_until_ns;  // not to be walked before, when it is due: its last walk was dear

  // Of its waits since the last one that was captured, and when that one ended: the thread's own.
  i64 unseen_waits_ns;
  i64 seen_wait_end_ns;

  // A block that begins at one point and ends at another (monitor, GC): the thread's own.
  Blocked block;

  // Since when the thread is inside a blocking point that will give a row of its own; 0: it is not. It writes it
  // itself, after what others may read of that block meanwhile (core/waits.h).
  Atomic<i64> blocked_since_ns;
  struct {
    Atomic<u32> session;
    Atomic<SampleKind> kind;
    Atomic<i64> begin_cpu_ns;
    Atomic<u64> object;
    Atomic<u64> type;
    Atomic<u32> peer;
    Atomic<u16> flags;
  } announced;

  // What others need to know while this thread waits: set by itself before, cleared after.
  Atomic<i64> waits_since_ns;  // 0: does not wait
  Atomic<u64> waits_for;       // identity of the object, for Object.wait
  // Who ended its wait: written by the waker before it lets go. The time is published before the index.
  Atomic<i64> waker_time_ns;
  Atomic<u32> waker;  // the recording's index; 0: not seen

  u32 slot;
};

class ThreadRegistry {
 public:
  static constexpr u32 kSlabRecords = 32;
  static constexpr u32 kMaxSlabs = 2048;  // 65,536 threads at once

  // The record of a thread that lives now, made if there is none; nullptr when the table is full. Takes a lock of the
  // agent: for starting threads and the first capture of a thread only.
  ThreadRecord* obtain(u32 tid);
  ThreadRecord* find(u32 tid);
  // Of a thread that has ended, as long as the drain has not let go of it.
  ThreadRecord* find_ended(u32 tid, u64 runtime_thread);
  // The calling thread's own record, by one pthread_getspecific once it is known.
  ThreadRecord* mine() { return mine(true); }
  // The same, but none is made.
  ThreadRecord* mine_if_met() { return mine(false); }
  ThreadRecord* mine_or_null();
  // The thread has ended; `free_now` when no drain will look at it.
  void end(ThreadRecord& record, bool free_now);
  // Only if no thread has taken it for its own, which then ends it.
  void end_unbound(ThreadRecord& record);
  void release(ThreadRecord& record);
  // Frees the records that only the agent knows of: nobody tells it of their end between two sessions.
  void release_unbound();
  // By what the runtime calls the thread, without a lock; nullptr when it is not known (any more).
  ThreadRecord* find_runtime(u64 runtime_thread);
  // Whose stack an address lies in, who has a Java id; each looks at every record.
  ThreadRecord* find_stack(u64 address);
  ThreadRecord* find_java_id(u64 java_id);
  void index_runtime(ThreadRecord& record, u64 runtime_thread);
  // All slots handed out so far; those that are free are for the caller to skip.
  u32 slots() const { return slots_.load_acquire(); }
  ThreadRecord& at(u32 slot) { return slabs_[slot / kSlabRecords][slot % kSlabRecords]; }
  // The record that a pointer from elsewhere is, nullptr when it is none of ours. Takes no lock.
  ThreadRecord* owned(void* pointer);
  size_t bytes() const {
    return size_t{(slots() + kSlabRecords - 1) / kSlabRecords} * kSlabRecords * sizeof(ThreadRecord);
  }
  u32 refused() const { return refused_.load_relaxed(); }

 private:
  ThreadRecord* mine(bool make);
  ThreadRecord* obtain_locked(u32 tid);
  void make_key();
  static void thread_gone(void* record);

  // Open addressing over runtime_thread; an entry whose record has moved on is used again.
  static constexpr u32 kRuntimeSlots = kMaxSlabs * kSlabRecords * 2;
  struct RuntimeEntry {
    Atomic<u64> key;
    Atomic<u32> slot;
  };
  bool stale(RuntimeEntry& entry);

  RuntimeEntry* by_runtime_;
  ThreadRecord* slabs_[kMaxSlabs];
  Atomic<u32> slots_;
  Atomic<u32> refused_;
  Atomic<u32> key_plus_1_;
  Spin spin_;
};

extern ThreadRegistry g_threads;

}  // namespace btrace
