#pragma once
// What the agent knows of one thread of the program, and the registry of all of them.
//
// Records live as long as the process: a capture that begins while a session ends can never meet freed memory.
// They come in slabs, are found by tid, and are used again after their thread has ended and the drain has let go. At a
// session's end free ones are emptied, and stay where they are.
#include "base/libc.h"
#include "base/spin.h"
#include "core/loop_log.h"
#include "core/shard.h"
#include "core/stack_tables.h"
#include "os/usage.h"

namespace btrace {

// Never: a thread of the agent itself, which is not captured at all.
enum class Holder : u32 { Nobody = 0, Thread = 1, Agent = 2, Never = 3 };

// A wait's begin_cpu_ns if its begin did not read the CPU clock.
inline constexpr i64 kCpuNotRead = -1;

struct ThreadRecord;

struct Wait {
  u32 session;  // 0: not in a wait
  i64 begin_ns;
  i64 begin_cpu_ns;  // or kCpuNotRead
  u64 object;
  u64 type;
  u32 peer;
  u16 flags;
};

// ThreadRecord's parts, each with the one who writes it. What only its writer reads is no atomic.

// Written by whoever holds the record (ThreadRecord::busy): what was captured on the thread, on its way to the drain.
// It is of ThreadRecord::session, and begins anew with each.
struct HeldState {
  Atomic<u64> due_tick;   // the gate: no capture before, unless forced
  Atomic<u64> read_due_tick;  // the same of clock reads: they come so often that nothing else would find the gate open
  Atomic<u64> last_tick;  // of the last capture
  // Of the last capture by the gate or an external sampler. Forced ones do not count: of a thread that waits every
  // other millisecond only the waits would be seen.
  Atomic<u64> evidence_tick;
  Row counters;  // the last row that read them: rows of the external sampler go on with its totals
  // Of core/kernel_counters.h.
  ThreadUsage usage;
  i64 usage_read_ns;     // when; 0: never
  i64 usage_off_cpu_ns;  // wall less CPU time at the last row
  u32 mean_cost_ns;      // of captures on this thread, moving
  i64 begin_cpu_ns;      // the thread's CPU clock as the capture that goes on read it; -1: it has not
  Atomic<u32> has_pending;
  Atomic<u32> pending_stack;
  bool follows;  // `before` is the row in front of `pending`
  Row pending;   // the newest row: it may still swallow equal neighbours
  Row before;
  i64 pending_since_ns;
  Shard shard;
  LastStack last;
  Atomic<u32> lost[kLossReasons];
  // The frame at which the thread began in this session, as long as no row tells so; 0: one does, or it began before.
  u64 begins_at;
  // The latest that the rows of a native thread tell of it: when, and its CPU clock then.
  i64 stood_ns;
  i64 stood_cpu_ns;
  bool has_stood;  // a row says so
};

// What a thread has allocated since allocations are counted.
struct AllocationCount {
  u64 count, bytes;
  i64 left;       // until the next that takes its stack
  u64 mean_left;  // the mean of what `left` was drawn from
  u64 paid_tick;  // until when the thread pays for the stacks that were taken
  u32 random;
  u32 widened;  // to stay within the budget: how often the mean was doubled
};

// Written by the thread itself.
struct OwnState {
  AllocationCount allocated;  // where it is not kept in a thread-local word
  u64 entry;           // the frame that its stacks begin with, where the runtime saw it begin; 0: not known
  u32 loop_message;    // counts the messages of its loop, where the runtime sees none but the thread itself; 0: none yet
  bool knows_name;     // it has asked the kernel for its name, and may have none
  Atomic<u32> events;  // of a point that comes often, captured or not
  Atomic<u32> hops;    // of virtual threads onto it and off again
  // Of waits of virtual threads that ended on it (core/off_carrier_waits.h).
  u64 waits_paid_tick;    // until when the thread pays for what was captured of them
  u64 waits_left_out_ns;  // since the last one that was captured
  u32 waits_left_out;
  // Of its waits since the last one that was captured, and when that one ended.
  i64 unseen_waits_ns;
  i64 seen_wait_end_ns;
  Wait wait;  // that begins at one point and ends at another (monitor, GC)
};

// Written by the thread itself before it waits and after, for others to read meanwhile (core/waits.h).
struct WaitState {
  // The begin of the wait that the thread has published (core/waits.h); 0: none. Written after
  // `published`.
  Atomic<i64> published_since_ns;
  struct {
    Atomic<u32> session;
    Atomic<SampleKind> kind;
    Atomic<i64> begin_cpu_ns;
    Atomic<u64> object;
    Atomic<u64> type;
    Atomic<u32> peer;
    Atomic<u16> flags;
  } published;
  Atomic<i64> waits_since_ns;  // a wait that another thread ends; 0: it is in none
  Atomic<u64> waits_for;       // identity of the object, for Object.wait
  // The condition variable that the runtime puts the thread to sleep on while it waits for a monitor; 0: none.
  Atomic<u64> sleeps_on;
  // The thread that ended its wait: written by the waker before it lets go. The time is published before the index.
  Atomic<i64> waker_time_ns;
  Atomic<u32> waker;  // the recording's index; 0: not seen
};

// Of the CPU timers (core/cpu_timers.h): written by the thread's own signal handler and by the sampler, which also makes
// the timer.
struct TimerState {
  Atomic<u32> due_in;          // the session that the thread was due in last; written by who holds the record
  Atomic<u32> due_intervals;   // that it was interrupted for, and no row stands for yet
  Atomic<i64> provisional_ns;  // time of its newest row, if that wants a stack; 0: it does not
  i32 id;
  u32 tid;              // whose CPU time it counts; 0: there is none
  Atomic<u32> stretch;  // how many of the configured intervals it counts at a time
};

// Written by the external sampler, for itself.
struct SamplerState {
  u32 session;
  i64 cpu_ns;  // CPU clock at the last look
  i64 stand_interval_ns;
  i64 stand_due_ns;  // not to be walked before, where it stands between pieces of work
  i64 look_interval_ns;
  i64 rest_until_ns;  // not to be walked before, when it is due: its last walk was dear
};

// Written by the external sampler, for the drain too: where the thread stood at the last walk, and stands while its CPU
// clock does. The clock is written first, -1, and last.
struct LastWalk {
  Atomic<i64> cpu_ns;  // just before the walk
  Atomic<u32> stack;
  Atomic<i64> ns;
  Atomic<u32> session;
  Atomic<u32> epoch;  // of the stack tables when it was walked
  Atomic<u16> flags;
  Atomic<u32> loop_message;
};

// Written by the drain, for itself: what it has told of the thread.
struct DrainedState {
  u32 session;
  u32 carries;
  u32 lost[kLossReasons];
};

// The kernel's name of a thread. The thread itself and the agent's threads write it, and read it meanwhile: two words,
// so that no lock is needed. One that is read while it changes may be half of each.
class KernelName {
 public:
  using Text = char[16];
  bool is_empty() const {
    Text text;
    read(text);
    return !text[0];
  }
  void read(Text& text) const {
    // In the reverse order of `write`: a first name is whole, or not there yet.
    const u64 words[2] = {words_[0].load_acquire(), words_[1].load_relaxed()};
    memcpy(text, words, sizeof words);
  }
  void write(const Text& text) {
    u64 words[2];
    memcpy(words, text, sizeof words);
    words_[1].store_relaxed(words[1]);
    words_[0].store_release(words[0]);
  }

 private:
  Atomic<u64> words_[2];
};

// Of a thread that only the kernel knows of (core/native_threads.h), written by who meets it.
struct NativeState {
  Atomic<u32> session;  // that met it so
  KernelName name;
  u64 root;  // the frame that its stacks begin with
};

struct alignas(64) ThreadRecord {
  // Whoever holds this may capture: the thread itself (it is the recursion guard too) or the agent for a short while.
  Atomic<Holder> busy;
  Atomic<u32> session;  // the session that `held` belongs to; written by the holder
  HeldState held;
  OwnState own;
  WaitState wait;
  TimerState timer;
  SamplerState sampler;
  LastWalk walked;
  DrainedState drained;
  NativeState native;

  // Who it is: written by who meets the thread, a runtime or the agent. `tid` is set before the record can be found and
  // stays until it is used again.
  enum class State : u32 { Free = 0, Live = 1, Ended = 2 };
  Atomic<State> state;
  Atomic<u32> tid;
  Atomic<u32> index;        // the recording's, given with `session`
  Atomic<u64> program_id;   // what the program calls the thread; 0: not known
  Atomic<u64> stack_begin;  // its stack's lowest address and the one above its highest, where known
  Atomic<u64> stack_end;
  Atomic<u64> runtime_thread;  // its address there
  Atomic<void*> runtime_ref;   // what the runtime needs to name and walk it
  Atomic<void*> runtime_kept;  // of one that has ended: what keeps its name until it is told
  Atomic<u32> creator;         // index of the creating thread, of the same session
  Atomic<u32> created_in;      // the session that saw native code create it (core/created_threads.h)
  Atomic<i64> begin_ns;        // monotonic; 0: was there before we looked
  Atomic<i64> end_ns;
  ThreadKind kind;
  bool is_main;
  Atomic<u32> carries;  // was seen to carry virtual threads: its rows' messages are their ids
  Atomic<u64> carried;  // who is on it, where the runtime keeps no such thing
  Atomic<u32> bound;    // the thread's own key points here: only its end frees the record
  Atomic<LoopLog*> loop;  // of a thread that the lag watch watches; else nullptr
  u32 slot;
};

// The newest name that the kernel has for a thread; of one that has ended, the last that was read.
void read_kernel_name(ThreadRecord& record, KernelName::Text& name);

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
  ThreadRecord* current_record() { return current_record(true); }
  // The same, but none is made.
  ThreadRecord* find_current_record() { return current_record(false); }
  ThreadRecord* current_record_or_null();
  // The thread has ended; `free_now` when no drain will look at it.
  void end(ThreadRecord& record, bool free_now);
  // Only if no thread has taken it for its own, which then ends it.
  void end_unbound(ThreadRecord& record);
  void release(ThreadRecord& record);
  // Frees the records that only the agent knows of: nobody tells it of their end between two sessions.
  void release_unbound();
  // Gives the memory of free records back, as far as they fill pages: a program that started threads faster than the
  // drain let go of them would keep it for good.
  void empty_free();
  // By what the runtime calls the thread, without a lock; nullptr when it is not known (any more).
  ThreadRecord* find_runtime(u64 runtime_thread);
  // Whose stack an address lies in, who has the id that the program gave it; each looks at every record.
  ThreadRecord* find_stack(u64 address);
  ThreadRecord* find_program_id(u64 program_id);
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
  // Counts up with each record that is made for a thread.
  u32 changes() const { return changes_.load_acquire(); }

 private:
  ThreadRecord* current_record(bool make);
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

  // Each record's tid, 0 of one that is free: to look for one thread among thousands reads 4 bytes of each.
  Atomic<u32> tids_[kMaxSlabs * kSlabRecords];
  RuntimeEntry* by_runtime_;
  ThreadRecord* slabs_[kMaxSlabs];
  Atomic<u32> slots_;
  Atomic<u32> refused_;
  Atomic<u32> changes_;
  Atomic<u32> key_plus_1_;
  Spin spin_;
};

extern ThreadRegistry g_threads;

// The calling thread is the agent's own from now on: nothing of it is captured, and others see by its name whose it is.
void become_agent_thread(const char* name);

}  // namespace btrace
