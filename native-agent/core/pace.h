#pragma once
// Keeps what recording costs within the budget: when the measured cost of captures, of the runtime's events and of the
// agent's own threads is above that share of the program's CPU time, all intervals are stretched by one factor; they
// shrink again when it is well below. (What tells of a long wait is bounded by that wait: core/waits.h.)
#include "core/session.h"

namespace btrace {

class Pace {
 public:
  // `spent_ns` and `cpu_ns` (the process's) in `elapsed_ns` of time. Returns the factor from here on, in 1/16.
  u32 step(const Config& config, i64 elapsed_ns, u64 spent_ns, u64 cpu_ns);

 private:
  u32 stretch_ = Session::kUnstretched;
};

}  // namespace btrace
