// A share of a core over time, whatever one time costs.
#include "core/cpu_allowance.h"

#include "harness.h"

using namespace btrace;

namespace {

constexpr i64 kPause = 50;
constexpr i64 kBegin = 3600 * kNsPerSecond;

// What is used until `end_ns` by one that goes on when it may, and no oftener than every millisecond.
template <class Cost>
i64 used(CpuAllowance& allowance, i64 begin_ns, i64 end_ns, Cost cost) {
  i64 sum = 0;
  for (i64 now = begin_ns; now < end_ns;) {
    const i64 cost_ns = cost(now);
    sum += cost_ns;
    now = max_of(now + kNsPerMs, allowance.charge(now + cost_ns, cost_ns));
  }
  return sum;
}

TEST("CPU allowance: one costly time in a while makes no pause") {
  CpuAllowance allowance(kPause);
  const i64 first_ns = 8 * kNsPerMs;
  CHECK(allowance.charge(kBegin, first_ns) <= kBegin);
  // The same once more, when what is cheap has gone on for a while.
  const i64 later = kBegin + kNsPerSecond;
  used(allowance, kBegin + kNsPerMs, later, [](i64) { return 5 * kNsPerUs; });
  CHECK(allowance.charge(later, first_ns) <= later);
}

TEST("CPU allowance: of one that cost more than is saved, only the rest makes a pause") {
  CpuAllowance allowance(kPause);
  const i64 saved_cpu_ns = CpuAllowance::kSavedNs / kPause;
  CHECK_EQUAL(allowance.charge(kBegin, saved_cpu_ns + kNsPerMs), kBegin + kPause * kNsPerMs);
}

TEST("CPU allowance: over time it is the share, whether each time costs much or only some do") {
  for (const i64 each_ns : {30 * kNsPerUs, kNsPerMs, 20 * kNsPerMs}) {
    CpuAllowance allowance(kPause);
    const i64 span = 100 * kNsPerSecond;
    const i64 all = used(allowance, kBegin, kBegin + span, [&](i64) { return each_ns; });
    CHECK(all <= span / kPause + CpuAllowance::kSavedNs / kPause + each_ns);
    CHECK(all >= span / kPause * 9 / 10);
  }
  CpuAllowance allowance(kPause);
  int times = 0;
  const i64 span = 100 * kNsPerSecond;
  const i64 all = used(allowance, kBegin, kBegin + span, [&](i64) { return ++times % 10 ? 0 : 5 * kNsPerMs; });
  CHECK(all <= span / kPause + CpuAllowance::kSavedNs / kPause + 5 * kNsPerMs);
}

TEST("CPU allowance: a long rest saves no more than a while of it") {
  CpuAllowance allowance(kPause);
  allowance.charge(kBegin, 0);
  const i64 later = kBegin + 1000 * kNsPerSecond;
  const i64 burst = used(allowance, later, later + 100 * kNsPerMs, [](i64) { return kNsPerMs; });
  CHECK(burst <= (CpuAllowance::kSavedNs + 100 * kNsPerMs) / kPause + kNsPerMs);
}

}  // namespace
