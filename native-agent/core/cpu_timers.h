#pragma once
// Running threads by their own CPU clocks: after each interval of CPU time that a thread used, the kernel interrupts
// that very thread, which walks its own stack. Where it cannot be walked there it is marked due, and the agent's thread
// walks it at once. A thread that does not run is never interrupted.
#include "core/capture.h"
#include "core/runtime.h"
#include "os/signal.h"

namespace btrace {

class CpuTimers {
 public:
  // nullptr when they run, else why not.
  const char* start(Session& session, Runtime& runtime);
  // No signal comes after this.
  void stop();
  int signal() const { return signal_; }
  bool running() const { return signal_ != 0; }
  // False when somebody else has taken the signal since: then they are of no use.
  bool still_ours() const;

  // The thread has a timer from here on, at the interval that the budget has now; false when the kernel gives none.
  bool watch(ThreadRecord& record);
  // Its thread has ended, or the record is another's now.
  void unwatch(ThreadRecord& record);

  // Waits until a thread is due or wake() was called after `asked_to_end` was set, at most so long.
  void wait(i64 ns, const Atomic<u32>& asked_to_end);
  // Wakes whoever waits.
  static void wake();
  // One that is due in this session; nullptr when there is none. A handler that was kept from running may say so when
  // its session is over: that is passed over, in whichever session it comes.
  ThreadRecord* take_due();

 private:
  Session* session_ = nullptr;
  int signal_ = 0;
  i64 interval_ns_ = 0;
  SignalAction before_;
};

}  // namespace btrace
