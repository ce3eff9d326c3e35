#pragma once
// Keeps what recording costs within the budget, a share of the CPU time that the program uses, and at least of one
// core. Four things cost: captures at points, by the interval; waits, which are captured whatever the interval says;
// what the agent's own threads do, other-thread walks too; and interrupts. Each has a part of the budget that the
// others cannot take (a half, an eighth, an eighth, a quarter), and what one leaves is for the others. What needs more
// than it has comes less often, by a factor of its own.
#include "core/session.h"

namespace btrace {

struct Spent {
  u64 points_ns;
  u64 waits_ns;
  u64 agent_ns;  // by its own threads
  u64 interrupts_ns;
};

class Pace {
 public:
  enum Part : u32 { kPoints, kWaits, kAgent, kInterrupts, kParts };

  // What was spent of `cpu_ns` (the process's) in `elapsed_ns` of time.
  void step(const Config& config, i64 elapsed_ns, Spent spent, u64 cpu_ns);
  // The factor from here on, in sixteenths.
  u32 stretch(Part part) const { return stretch_[part]; }

 private:
  // Over some steps: a class that is named, or a crowd of waits that end together, is no reason to swing.
  u64 base_ns_ = 0;
  u64 spent_ns_[kParts] = {};
  u32 stretch_[kParts] = {Session::kUnstretched, Session::kUnstretched, Session::kUnstretched,
                              Session::kUnstretched};
};

}  // namespace btrace
