#include "core/pace.h"

namespace btrace {

namespace {
// 64 ms where 1 ms was asked for. A thousand threads that sleep a second each are dear to show, too: waits are told
// from 8 s on at the worst. Interrupts are what shares of CPU time rest upon.
constexpr u32 kMostStretch[] = {64 * Session::kUnstretched, 8192 * Session::kUnstretched, 64 * Session::kUnstretched,
                                Session::kMostTimerStretch * Session::kUnstretched};
constexpr u64 kMemory = 4;
// Products of two times are made of so many ns each, so that they fit.
constexpr u64 kGrain = 256;

constexpr u64 kPartOfBudget[] = {2, 8, 8, 4};

u64 part_of(u32 part, u64 allowed_ns) {
  return allowed_ns / kPartOfBudget[part];
}

u64 blend(u64 before, u64 now) {
  return (before * (kMemory - 1) + now) / kMemory;
}
}  // namespace

void Pace::step(const Config& config, i64 elapsed_ns, Spent spent, u64 cpu_ns) {
  if (!config.budget_ppm) return;
  const bool first = !base_ns_;
  const u64 now[kParts] = {spent.points_ns, spent.waits_ns, spent.agent_ns, spent.interrupts_ns};
  // A program that does next to nothing is not slowed by what is little of a core.
  const u64 base = max_of<u64>(max_of<u64>(cpu_ns, static_cast<u64>(elapsed_ns)), 1);
  base_ns_ = first ? base : blend(base_ns_, base);
  for (u32 part = 0; part < kParts; part++) spent_ns_[part] = first ? now[part] : blend(spent_ns_[part], now[part]);

  const u64 budget = base_ns_ / 1000 * config.budget_ppm / 1000;
  const u64 allowed = max_of<u64>(budget - budget / 16, 8);
  u64 sum = 0, above = 0, stretched = 0;
  for (u32 part = 0; part < kParts; part++) {
    const u64 own = part_of(part, allowed);
    sum += spent_ns_[part];
    if (spent_ns_[part] > own) above += spent_ns_[part] - own;
    if (stretch_[part] > Session::kUnstretched) stretched++;
  }
  for (u32 part = 0; part < kParts; part++) {
    const u64 own = part_of(part, allowed);
    u64 room = spent_ns_[part];
    if (sum <= allowed)
      room += (allowed - sum) / max_of<u64>(stretched, 1);
    else if (room > own)  // what is over is taken from those that have more than their part, by how much more
      room -= min_of((sum - allowed) / kGrain * ((room - own) / kGrain) / (above / kGrain + 1) * kGrain, room - own);
    room = max_of(room, own);
    const u64 wanted =
        min_of<u64>(u64{stretch_[part]} * spent_ns_[part] / max_of<u64>(room, 1), u64{kMostStretch[part]});
    // At most twice as wide at a time, and narrower more slowly, so that it does not swing.
    const u64 next = min_of(max_of<u64>(wanted, u64{stretch_[part]} * 3 / 4), u64{stretch_[part]} * 2);
    stretch_[part] = static_cast<u32>(min_of<u64>(max_of<u64>(next, Session::kUnstretched), kMostStretch[part]));
  }
}

}  // namespace btrace
