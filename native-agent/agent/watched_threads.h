#pragma once
// The threads that the lag watch looks at: which they are, the messages that they handle, and their last stacks.
#include "agent/frame_names.h"
#include "core/lag_watch.h"
#include "core/session.h"

namespace btrace {

// A thread's stack as the watch compares it.
LagStack lag_stack(const Session& session, u32 node);
// The stack of the thread's newest row; 0: it has none that is still there.
u32 newest_stack(const Session& session, const ThreadRecord& record);

struct WatchedThread {
  ThreadRecord* record;  // nullptr: this place is free
  u32 tid;
  MessageWatch messages{0};
  Annealing annealing{0};
  RecentStacks stacks;
  i64 cpu_ns;           // at the last look at its stack
  LagStack stack;       // the last one
  Lag last_lag;         // begin 0: none, or it was told as "not responding"
  bool is_known;        // false: it waits, and nobody has seen yet for what
  i64 unseen_since_ns;  // since when that is so; 0: it is not
  bool lacks_stack;     // a lag was found, and no stack of it yet
};

// All of it is the watch's thread's own.
class WatchedThreads {
 public:
  static constexpr u32 kMost = 8;

  // `names` as in LagSettings; it stays there. False if there is no memory.
  bool begin(const char* names, const LagLimits& limits, Runtime& runtime);
  // Forgets what it knows of another session.
  void enter(const Session& session);
  // Meets new threads, also those that have yet to give themselves their names, and lets go of those that have ended.
  void find();
  // What the threads do now, to be asked each LagLimits::stack_ns.
  void observe(const Session& session, i64 now);
  void end();

  // Free ones have no record.
  WatchedThread (&places())[kMost] { return threads_; }

 private:
  bool is_chosen(const ThreadRecord& record) const;
  void watch(ThreadRecord& record, u32 tid);
  void unwatch(WatchedThread& thread);
  void observe(const Session& session, WatchedThread& thread, i64 now);

  WatchedThread threads_[kMost];
  IdleStacks idle_;
  const char* names_ = nullptr;
  LagLimits limits_;
  Runtime* runtime_ = nullptr;
  u32 session_ = 0;
  u32 changes_ = ~0u, slots_ = 0;
  struct Asked {
    u32 tid;
    bool is_named;  // it has the name that it keeps
    i64 cpu_ns;     // of the thread, before it was asked for its name last
    i64 since_ns;
  };
  Asked* asked_ = nullptr;  // by slot
};

}  // namespace btrace
