#pragma once
// An allocation waits for a collection that another thread makes: its thread sleeps on a futex where it is not Runnable and
// cannot be walked, and is told of when it has got its object. That is the same wait if the thread did nothing else
// between: it came at once, or it has hardly worked and has waited for nothing. Then it is late because others had the
// processor.
#include "base/types.h"

namespace btrace::art {

class CollectionSleep {
 public:
  // What the thread has of time, of its own CPU clock, and how often it has waited (voluntary switches).
  struct Moment {
    i64 ns;
    i64 cpu_ns;
    u32 waits;
  };

  // The thread has slept in a way that may be meant, and not told of an allocation yet.
  bool is_open() const { return begin_ns_ != 0; }
  // It goes to sleep again. Several sleeps in a row are one wait.
  void sleeps(const Moment& now) {
    if (!follows(now)) begin_ns_ = 0;
  }
  // It has slept since `begin_ns` while a collection paused the program.
  void slept(i64 begin_ns, const Moment& now) {
    if (!is_open()) begin_ns_ = begin_ns;
    woke_ = now;
  }
  // It has slept for something else, as for a lock of the runtime's: for a moment that is a part of the same.
  void slept_shortly(const Moment& now) { woke_ = now; }
  void forget() { begin_ns_ = 0; }
  // It has its object. When it began to wait for it; 0: it did something else.
  i64 end(const Moment& now) {
    const i64 begin_ns = follows(now) ? begin_ns_ : 0;
    begin_ns_ = 0;
    return begin_ns;
  }

 private:
  static constexpr i64 kAtOnceNs = kNsPerMs;
  bool follows(const Moment& now) const {
    return now.ns - woke_.ns <= kAtOnceNs || (now.waits == woke_.waits && now.cpu_ns - woke_.cpu_ns <= kAtOnceNs);
  }

  i64 begin_ns_;
  Moment woke_;
};

}  // namespace btrace::art
