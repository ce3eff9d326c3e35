#pragma once
// Decides what is a lag: pure logic, which a clock that a test drives can run. docs/LAGS.md says how the parts work
// together.
//
// Nothing here allocates, and nothing knows of threads that run: the watch's thread tells what it has seen.
#include "base/types.h"

namespace btrace {

struct LagLimits {
  i64 message_ns = 2 * kNsPerSecond;  // a message that takes longer is a lag
  u32 cpu_percent = 80;               // of one processor, used by the process; 0: not watched
  i64 look_ns = kNsPerSecond;
  i64 stack_ns = 50 * kNsPerMs;  // between two stacks; 0: none are taken
};

// A watched thread's stack as the watch compares it.
struct LagStack {
  u64 innermost;  // the code of the innermost frame; 0: no stack is known
  u64 whole;      // hash of all its frames' code
  u32 node;       // in the session's stack tables
};

// The last stacks of a watched thread.
class RecentStacks {
 public:
  static constexpr u32 kStacks = 20;

  void add(i64 time_ns, const LagStack& stack);

  struct Costliest {
    LagStack stack;
    u32 repeats;  // how many of the stacks have its innermost frame
    u32 of;       // how many stacks there are
  };
  // Of those taken from `begin_ns` to `end_ns`: stacks with the same innermost frame count as one, the number of them
  // stands for their time, and of equals the latest is taken. `of` is 0 if there is none.
  Costliest costliest(i64 begin_ns, i64 end_ns) const;

 private:
  struct Taken {
    i64 time_ns;
    LagStack stack;
  };
  Taken at(u32 age) const { return stacks_[(taken_ - 1 - age) % kStacks]; }

  Taken stacks_[kStacks] = {};
  u32 taken_ = 0;
};

// Keeps one lag from making many files: a stack that is the last lag's is not written again, and is looked at less and
// less often, until it differs or the lag is over.
class Annealing {
 public:
  explicit constexpr Annealing(i64 look_ns) : look_ns_(look_ns) {}

  // Whether the lag's stack is to be compared now.
  bool is_due(i64 now) const { return now >= next_ns_; }
  // True if the lag is to be written. `is_new`: it is another lag than at the last call.
  bool should_write(i64 now, u64 stack, bool is_new);
  // No lag any more: the next one is looked at at once.
  void end();
  // How many lags were not written since the last one that was.
  u32 unwritten() const { return unwritten_; }

 private:
  bool is_known(u64 stack) const;

  // A thread that computes alternates between a few stacks: each is written once while the lag lasts.
  static constexpr u32 kKnown = 4;
  i64 look_ns_;
  i64 next_ns_ = 0;
  u32 pause_ = 1, next_pause_ = 1;  // in looks
  u64 known_[kKnown] = {};
  u32 known_count_ = 0;
  u32 unwritten_ = 0;
};

struct Lag {
  i64 begin_ns;  // of the message
  i64 end_ns;    // 0: it goes on
  bool is_new;   // not the one that the last look found
};

// The messages of one thread: from a wait for the next one to the next such wait.
class MessageWatch {
 public:
  explicit constexpr MessageWatch(i64 limit_ns) : limit_ns_(limit_ns) {}

  // What the thread did, in the order of time. Parts of it may be told twice.
  void waited(i64 begin_ns, i64 end_ns);
  void waits_since(i64 begin_ns);  // and still does
  void works_at(i64 now);          // it does not wait; since when is not known unless a wait was told
  // A message that was seen from its begin to its end.
  void handled(i64 begin_ns, i64 end_ns);
  // It handles one since `begin_ns`; 0: none. Of those that took too long handled() tells as well.
  void handles_since(i64 begin_ns);

  // A lag that has ended or goes on; false: there is none (any more). Each lag is new once. `is_known`: what the thread
  // does now; else only lags that have ended are told.
  bool look(i64 now, Lag& lag, bool is_known = true);
  u64 lags() const { return lags_; }

 private:
  void end_message(i64 end_ns);
  void note(i64 begin_ns, i64 end_ns);

  static constexpr u32 kEnded = 16;
  i64 limit_ns_;
  i64 since_ns_ = 0;     // the message that is handled; 0: none
  i64 told_ns_ = 0;      // up to here all is told
  i64 reported_ns_ = 0;  // begin of the last lag that was found
  Lag ended_[kEnded] = {};
  u32 ended_count_ = 0;
  u64 lags_ = 0;
};

// One processor used above the limit in two looks in a row: one alone is a start, a collection or a compiler at work.
class CpuWatch {
 public:
  static constexpr u32 kLooks = 2;
  explicit constexpr CpuWatch(u32 limit_percent) : limit_percent_(limit_percent) {}
  // `cpu_ns`: of the process, so far. Returns how many looks in a row were above the limit.
  u32 look(i64 now, i64 cpu_ns);
  u32 percent() const { return percent_; }
  i64 since_ns() const { return since_ns_; }

 private:
  u32 limit_percent_;
  u32 percent_ = 0;
  u32 above_ = 0;
  i64 last_ns_ = 0, last_cpu_ns_ = 0;
  i64 since_ns_ = 0;
};

// Who writes lag files, and how many.
struct LagQuota {
  u32 share_permille = 1000;  // of all users, drawn anew each day
  u32 files_a_day = 20;
  u32 keep_days = 7;
  bool always = false;  // this user is not drawn

  bool is_drawn(u64 user, i64 day) const;
};

// The same number for the same text, on every device and in every version.
u64 stable_hash(const char* text);

inline constexpr i64 kNsPerDay = 86400 * kNsPerSecond;
inline i64 day_of(i64 realtime_ns) {
  return realtime_ns / kNsPerDay;
}

}  // namespace btrace
