// The budget: intervals widen by what recording costs, and come back.
#include "core/pace.h"

#include "core/waits.h"
#include "harness.h"

using namespace btrace;

namespace {

constexpr i64 kSecond = kNsPerSecond;

TEST("pace: widens until the cost is within the budget, holds, and comes back when there is room") {
  Config config;
  config.budget_ppm = 10000;
  Pace pace;
  // 500 ms of CPU time a second, of which 40 ms went into captures that come by the interval.
  u64 full_cost = 40 * kNsPerMs, cpu = 500 * kNsPerMs;
  u32 stretch = Session::kUnstretched;
  for (int round = 0; round < 20; round++)
    stretch = pace.step(config, kSecond, {full_cost * Session::kUnstretched / stretch, 0}, cpu);
  u64 cost = full_cost * Session::kUnstretched / stretch;
  CHECK(cost <= cpu / 100);
  CHECK(cost >= cpu / 200);
  for (int round = 0; round < 40; round++) stretch = pace.step(config, kSecond, {cpu / 1000, 0}, cpu);
  CHECK_EQUAL(stretch, Session::kUnstretched);
}

TEST("pace: captures get what the rest leaves of the budget, wherever they stood before, and never nothing") {
  Config config;
  config.budget_ppm = 10000;
  const u64 cpu = 500 * kNsPerMs, full_cost = 40 * kNsPerMs;
  const auto settle = [&](Pace& pace, u32 stretch, u64 otherwise) {
    for (int round = 0; round < 40; round++)
      stretch = pace.step(config, kSecond, {full_cost * Session::kUnstretched / stretch, otherwise}, cpu);
    return stretch;
  };
  // 5 ms a second, of which the rest takes 2: with what is kept free captures have 2.7, a fifteenth of what they would
  // take.
  Pace wide, narrow;
  settle(wide, Session::kUnstretched, 5 * kNsPerMs);
  const u32 from_wide = settle(wide, 64 * Session::kUnstretched, 2 * kNsPerMs);
  const u32 from_narrow = settle(narrow, Session::kUnstretched, 2 * kNsPerMs);
  CHECK(from_narrow > 14 * Session::kUnstretched && from_narrow < 16 * Session::kUnstretched);
  CHECK(from_wide > 14 * Session::kUnstretched && from_wide < 16 * Session::kUnstretched);
  // More than there is: a sixteenth of the budget is left for captures.
  Pace crowded;
  CHECK_EQUAL(settle(crowded, Session::kUnstretched, 20 * kNsPerMs), 64 * Session::kUnstretched);
  Pace light;
  u32 stretch = Session::kUnstretched;
  for (int round = 0; round < 40; round++)
    stretch = light.step(config, kSecond, {u64{kNsPerMs} * Session::kUnstretched / stretch, 20 * kNsPerMs}, cpu);
  CHECK(stretch > 3 * Session::kUnstretched && stretch < 4 * Session::kUnstretched);
}

TEST("pace: is bounded, and nothing without a budget") {
  Config config;
  Pace pace;
  u32 stretch = 0;
  for (int round = 0; round < 50; round++) stretch = pace.step(config, kSecond, {kSecond, 0}, kSecond);
  CHECK_EQUAL(stretch, 64 * Session::kUnstretched);
  config.budget_ppm = 0;
  Pace free;
  CHECK_EQUAL(free.step(config, kSecond, {kSecond, 0}, kSecond), Session::kUnstretched);
}

TEST("pace: a program that does next to nothing has the budget of a tenth of a core") {
  Config config;
  config.budget_ppm = 10000;
  Pace pace;
  CHECK_EQUAL(pace.step(config, kSecond, {900 * kNsPerUs, 0}, 0), Session::kUnstretched);
  CHECK(pace.step(config, kSecond, {2 * kNsPerMs, 0}, 0) > Session::kUnstretched);
}

TEST("waits: what tells of one costs no more of its time than the budget has") {
  Session session{};
  ThreadRecord record{};
  session.config.budget_ppm = 10000;
  record.mean_cost_ns = 30000;
  CHECK(!is_forced(session, record, 2 * kNsPerMs));
  CHECK(is_forced(session, record, 3 * kNsPerMs));
  record.mean_cost_ns = 100;
  CHECK(!is_forced(session, record, kNsPerMs - 1));
  CHECK(is_forced(session, record, kNsPerMs));
}

}  // namespace
