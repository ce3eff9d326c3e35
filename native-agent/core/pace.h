#pragma once
// Keeps what recording costs within the budget: all intervals are stretched by one factor, as far as it takes for the
// captures that come by them to fit into what the rest (interrupts, walks from outside, the runtime's events, the
// agent's own threads) leaves of that share of the program's CPU time. (What tells of a long wait is bounded by that
// wait: core/waits.h.)
#include "core/session.h"

namespace btrace {

struct Spent {
  u64 by_interval_ns;  // in captures that a wider interval makes fewer
  u64 otherwise_ns;
};

class Pace {
 public:
  // What was spent of `cpu_ns` (the process's) in `elapsed_ns` of time. Returns the factor from here on, in 1/16.
  u32 step(const Config& config, i64 elapsed_ns, Spent spent, u64 cpu_ns);

 private:
  u32 stretch_ = Session::kUnstretched;
};

}  // namespace btrace
