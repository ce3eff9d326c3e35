#include "core/pace.h"

namespace btrace {

namespace {
// 64-fold: 64 ms where 1 ms was asked for. What costs more than the budget even then is not captures.
constexpr u32 kMostStretch = Session::kUnstretched * 64;
// A program that does next to nothing is not slowed by an agent that does a hundredth of next to nothing more: its
// budget is that of a tenth of a core.
constexpr u64 kLeastShareOfCore = 10;
}  // namespace

u32 Pace::step(const Config& config, i64 elapsed_ns, Spent spent, u64 cpu_ns) {
  if (!config.budget_ppm) return stretch_;
  const u64 base = max_of<u64>(cpu_ns, static_cast<u64>(elapsed_ns) / kLeastShareOfCore);
  const u64 allowed = base / 1000 * config.budget_ppm / 1000;
  // A sixteenth is kept free, and what else is spent leaves at least one.
  const u64 sixteenth = max_of<u64>(allowed / 16, 1);
  const u64 room = max_of(allowed - min_of(allowed, sixteenth + spent.otherwise_ns), sixteenth);
  const u64 wanted = min_of<u64>(u64{stretch_} * spent.by_interval_ns / room, kMostStretch);
  // At most twice as wide at a time, and narrower more slowly, so that it does not swing.
  const u64 next = min_of(max_of<u64>(wanted, u64{stretch_} * 3 / 4), u64{stretch_} * 2);
  stretch_ = static_cast<u32>(min_of<u64>(max_of<u64>(next, Session::kUnstretched), kMostStretch));
  return stretch_;
}

}  // namespace btrace
