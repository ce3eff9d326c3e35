#include "core/pace.h"

namespace btrace {

namespace {
// 64-fold: 64 ms where 1 ms was asked for. What costs more than the budget even then is not captures.
constexpr u32 kMostStretch = Session::kUnstretched * 64;
// A program that does next to nothing is not slowed by an agent that does a hundredth of next to nothing more: its
// budget is that of a tenth of a core.
constexpr u64 kLeastShareOfCore = 10;
}  // namespace

u32 Pace::step(const Config& config, i64 elapsed_ns, u64 spent_ns, u64 cpu_ns) {
  if (!config.budget_ppm) return stretch_;
  u64 base = max_of<u64>(cpu_ns, static_cast<u64>(elapsed_ns) / kLeastShareOfCore);
  u64 allowed = max_of<u64>(base / 1000 * config.budget_ppm / 1000, 1);
  u64 sixteenths = min_of<u64>(spent_ns * 16 / allowed, 1024);
  // Up by what it is over at most twice; down slowly, and only where there is room, so that it does not swing.
  if (sixteenths > 16)
    stretch_ = static_cast<u32>(min_of<u64>(u64{stretch_} * min_of<u64>(sixteenths + 1, 32) / 16 + 1, kMostStretch));
  else if (sixteenths < 12)
    stretch_ = max_of(stretch_ * 7 / 8, Session::kUnstretched);
  return stretch_;
}

}  // namespace btrace
