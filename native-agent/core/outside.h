#pragma once
// Fills what the points miss. A thread that runs is shown by its CPU timer (core/cpu_timers.h). One that has stopped
// running is walked once from the agent's own thread; while it uses no CPU it stands where it stood, and an equal
// sample says so without a walk. Where there are no timers, running threads are walked from here too: the main thread
// at its own pace, whatever the others cost, and these in rounds.
#include "core/cpu_timers.h"

namespace btrace {

class OutsideSampler {
 public:
  // On a saturated machine a round of walks may take very long: it is broken off when it is asked to end.
  explicit OutsideSampler(const Atomic<u32>& asked_to_end) : asked_to_end_(asked_to_end) {}
  // False when memory is not there.
  bool init(Session& session, Runtime& runtime);
  void release();
  // Until it is asked to end, which it notices within `notice_ns`.
  void run(i64 notice_ns);

 private:
  i64 tick();
  void wait(i64 ns);
  void start_timers();
  void check_timers();
  void stop_timers();
  bool is_watched(ThreadRecord& record);
  void look_at_all();
  void meet(ThreadRecord& record);
  void look_at_main();
  void look(ThreadRecord& record);
  void stand(ThreadRecord& record, u64 tick, i64 now, i64 cpu);
  // Gives the row of an interrupt, captured at `time_ns`, the stack that it could not walk itself.
  void complete(ThreadRecord& record, i64 time_ns);
  // `at_work`: kFlagAtWork for an interrupt, 0 for where a thread stands.
  void walk(ThreadRecord& record, u64 tick, i64 now, i64 cpu, u16 at_work);

  const Atomic<u32>& asked_to_end_;
  Session* session_ = nullptr;
  Runtime* runtime_ = nullptr;
  Frame* frames_ = nullptr;
  CpuTimers timers_;
  i64 interval_ns_ = 0;
  i64 next_round_ns_ = 0;
  ThreadRecord* main_ = nullptr;  // once it was met
  i64 next_main_ns_ = 0;
  i64 next_check_ns_ = 0;
};

}  // namespace btrace
