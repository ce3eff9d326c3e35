#pragma once
// Threads that the runtime shows nobody: its own, which compile and collect, and those of native libraries. They are
// found in the kernel's list of the process's threads, have CPU timers as all others do (core/cpu_timers.h), and are
// walked by the tables of their libraries (os/native_stack.h). Below everything stands one frame that says what
// kind of thread it is. A thread that uses no CPU time costs a look now and then, and gives no row. Without CPU timers
// they are counted alone, if the runtime wants that: their rows have that one frame.
#include "core/cpu_allowance.h"
#include "core/cpu_timers.h"

namespace btrace {

class NativeThreads {
 public:
  void init(Session& session, Runtime& runtime, CpuTimers& timers);
  void release();
  // On the thread of the timers, each time it is awake.
  void tick(i64 now);
  // The record belongs to one of these threads, as far as is known.
  bool has(const ThreadRecord& record) const;

 private:
  // The list of threads costs about a microsecond a thread, and no more than this share of a core.
  static constexpr i64 kPausePerScan = 500;

  void release_memory();
  bool may_be_new(i64 now);
  void scan(i64 now);
  void meet(u32 tid, i64 now, bool is_new);
  void name(ThreadRecord& record);
  void remember(u32 slot);
  void look_at_some(i64 now);
  void look(ThreadRecord& record, i64 now);
  void end(ThreadRecord& record);
  bool let_interrupt(ThreadRecord& record);
  bool can_tell() const { return timers_->running() || runtime_->counts_native_threads(); }

  Session* session_ = nullptr;
  Runtime* runtime_ = nullptr;
  CpuTimers* timers_ = nullptr;
  // By tid: the record's slot, and the scan that saw the thread last.
  struct Known {
    u32 tid, slot, scan;
  };
  static constexpr u32 kKnown = 1u << 17;
  Known& place_of(u32 tid);
  Known* known_ = nullptr;
  // Slots of those that were met, each once; one that is no such thread any more goes when it is next looked at.
  u32* met_ = nullptr;
  u32 met_count_ = 0;
  u32 next_met_ = 0;
  u32 scans_ = 0;
  u32 counted_ = 0;          // threads of the process when it was last scanned
  i64 scan_anyway_ns_ = 0;   // even if their number is the same
  bool some_block_ = false;
  i64 scanned_ns_ = 0;  // when the last scan began
  i64 process_cpu_ns_ = 0;
  i64 next_scan_ns_ = 0;
  CpuAllowance for_scans_{kPausePerScan};
  i64 next_look_ns_ = 0;
};

// When a recording ends, before captures stop: gives each of these threads a row with the CPU time that it has used
// since its last one, where that is worth a row.
void tell_last_cpu(Session& session);

}  // namespace btrace
