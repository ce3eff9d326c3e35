#pragma once
// A share of one core for what is done again and again: over time it gets no more, and one costly time is no reason for
// a long pause.
#include "base/types.h"

namespace btrace {

class CpuAllowance {
 public:
  // What is not used of so much time is saved. The first walk of a program reads tables and runs code that no other
  // walk does again, which costs fifty times what later ones do.
  static constexpr i64 kSavedNs = 500 * kNsPerMs;

  // For each ns of CPU time `pause` ns must pass: the share is one `pause`th.
  constexpr explicit CpuAllowance(i64 pause) : pause_(pause) {}

  // Tells what was used just now. Returns from when on there is something left: often, that has passed.
  i64 charge(i64 now_ns, i64 cost_ns) {
    used_up_to_ns_ = max_of(used_up_to_ns_, now_ns - kSavedNs) + cost_ns * pause_;
    return used_up_to_ns_;
  }

 private:
  i64 pause_;
  i64 used_up_to_ns_ = 0;
};

}  // namespace btrace
