#pragma once
// Fills what the points miss. A thread that runs is shown by its CPU timer (core/cpu_timers.h). One that has stopped
// running is walked once from a thread of the agent's; while it uses no CPU it stands where it stood, and an equal
// sample says so without a walk. Where there are no timers, running threads are walked from here too, and such a walk
// waits until its thread gets a processor: then there are several samplers, each with a group of threads of its own.
#include "core/cpu_allowance.h"
#include "core/native_threads.h"

namespace btrace {

// Each thread is in one group for as long as it lives: the sampler of that group looks at it, and no other does. The
// main thread, which people ask about first, is alone in its group. With four more, 64 threads that are all busy on two
// processors are seen several times as often as with one (docs/BENCHMARKS.md); idle ones wake up ten times a second.
inline constexpr u32 kThreadGroups = 1 + 4;
inline constexpr u32 kAllGroups = ~0u;
// Of several samplers the one that finds and counts native threads: not the main thread's.
inline constexpr u32 kNativeGroup = 1;
inline u32 group_of(const ThreadRecord& record) {
  return record.is_main ? 0 : 1 + record.slot % (kThreadGroups - 1);
}

class ExternalSampler {
 public:
  // On a saturated machine a round of walks may take very long: it is broken off when it is asked to end.
  ExternalSampler(const Atomic<u32>& asked_to_end, u32 group);
  // False when memory is not there.
  bool init(Session& session, Runtime& runtime);
  void release();
  // Until it is asked to end, which it notices within `notice_ns`.
  // `looked` counts those that have had a first look: all threads that are due to interrupts get them from then on.
  void run(i64 notice_ns, Atomic<u32>& looked);

 private:
  i64 tick();
  void wait(i64 ns);
  void start_timers();
  void check_timers();
  void stop_timers();
  bool is_watched(ThreadRecord& record);
  i64 look_at_all();
  void meet(ThreadRecord& record);
  void look(ThreadRecord& record);
  i64 longest_look_ns() const;
  void look_next(ThreadRecord& record, i64 at_ns);
  void look_less(ThreadRecord& record, i64 now);
  Capture::OtherThreadCost cost_so_far(const ThreadRecord& record, i64 begin_cpu_ns, bool at_work);
  bool stands_between(ThreadRecord& record, i64 now);
  void stand(ThreadRecord& record, u64 tick, i64 now, i64 cpu);
  // Gives the row of an interrupt, captured at `time_ns`, the stack that it could not walk itself.
  void complete(ThreadRecord& record, i64 time_ns);
  // `at_work`: kFlagAtWork for an interrupt, 0 for where a thread stands.
  void walk(ThreadRecord& record, u64 tick, i64 now, i64 cpu, u16 at_work);
  void stands_at(ThreadRecord& record, u32 stack, const WalkNotes& notes, i64 now, i64 cpu);

  const Atomic<u32>& asked_to_end_;
  const u32 group_;
  CpuAllowance for_rounds_;
  Session* session_ = nullptr;
  Runtime* runtime_ = nullptr;
  Frame* frames_ = nullptr;
  CpuTimers timers_;
  NativeThreads natives_;
  i64 interval_ns_ = 0;
  i64 next_round_ns_ = 0;
  i64 next_check_ns_ = 0;
  // When each thread is to be looked at again, by slot. A round reads this alone: of a program whose threads sleep
  // nothing else is touched.
  i64* next_looks_ = nullptr;
  u32 met_slots_ = 0;     // those that a round has met
  u32 met_changes_ = ~0u;  // g_threads.changes() when all were last gone through
  u32 watched_ = 0;        // threads that are looked at
  i64 looks_ = 0;          // of the last round
  i64 mean_look_ns_ = kNsPerUs * 2;
};

// When a recording ends, before captures stop: walks each thread that has worked for a while since its last row, so that
// this work is told. Where there are CPU timers; elsewhere the samplers have just walked those that run.
void tell_last_work(Session& session, Runtime& runtime);

}  // namespace btrace
