#pragma once
// Waits of virtual threads. Such a thread leaves the one that carries it and comes back to any, so its wait is no time
// of either: it becomes a row aside (docs/FORMAT.md, "Waits of virtual threads"). When it leaves only the time is
// noted; its stack is walked when it comes back, if the wait was long enough to matter.
#include "core/capture.h"

namespace btrace {

// The calling thread's stack, leaf first; not above 0 when there is none.
using WalkSelf = i32 (*)(Frame* frames, u32 limit, u16& flags);

// On the thread that carries it, by what the program calls the virtual thread.
void virtual_thread_leaves(ThreadRecord& record, u64 id, WalkSelf walk);
void virtual_thread_comes_back(ThreadRecord& record, u64 id, WalkSelf walk);
void virtual_thread_ends(ThreadRecord& record, u64 id);

// How long the runtime's events of virtual threads may be on, so that they alone stay within their part of the budget:
// what they cost is owed, and paid with time.
class EventsPace {
 public:
  // `spent_ns` by the events, `cpu_ns` by the process, since the last step. True: they are to be on from here.
  bool step(const Config& config, i64 now, u64 spent_ns, u64 cpu_ns);

 private:
  bool on_ = true;
  i64 since_ns_ = 0;
  i64 debt_ns_ = 0;
};

}  // namespace btrace
