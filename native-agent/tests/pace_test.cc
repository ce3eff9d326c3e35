// The budget: intervals widen by what recording costs, and come back.
#include "core/pace.h"

#include "core/waits.h"
#include "harness.h"

using namespace btrace;

namespace {

constexpr i64 kSecond = kNsPerSecond;

// What each part would take at no stretch; rounds until all has settled.
struct Program {
  u64 cpu_ns;
  Spent full;
};

Spent settle(Pace& pace, const Program& program) {
  Config config;
  config.budget_ppm = 10000;
  const auto taken = [&](u64 full, Pace::Part part) { return full * Session::kUnstretched / pace.stretch(part); };
  Spent spent{};
  for (int round = 0; round < 120; round++) {
    spent = {taken(program.full.points_ns, Pace::kPoints), taken(program.full.waits_ns, Pace::kWaits),
             taken(program.full.agent_ns, Pace::kAgent), taken(program.full.interrupts_ns, Pace::kInterrupts)};
    pace.step(config, kSecond, spent, program.cpu_ns);
  }
  return spent;
}

u64 sum_of(const Spent& spent) {
  return spent.points_ns + spent.waits_ns + spent.agent_ns + spent.interrupts_ns;
}

TEST("pace: keeps every interval while all together is within one hundredth of a core, however little the program does") {
  Pace pace;
  settle(pace, {0, {4 * kNsPerMs, 3 * kNsPerMs, kNsPerMs, kNsPerMs}});
  for (Pace::Part part : {Pace::kPoints, Pace::kWaits, Pace::kAgent, Pace::kInterrupts})
    CHECK_EQUAL(pace.stretch(part), Session::kUnstretched);
}

TEST("pace: what is too dear comes less often until it fits, and comes back when there is room") {
  Pace pace;
  const u64 cost = sum_of(settle(pace, {0, {40 * kNsPerMs, 0, 0, 0}}));
  CHECK(cost <= 10 * kNsPerMs);
  CHECK(cost >= 8 * kNsPerMs);
  CHECK_EQUAL(pace.stretch(Pace::kAgent), Session::kUnstretched);
  settle(pace, {0, {kNsPerMs, 0, 0, 0}});
  CHECK_EQUAL(pace.stretch(Pace::kPoints), Session::kUnstretched);
}

TEST("pace: points keep half of the budget, interrupts a quarter, waits and the agent's threads an eighth, whatever others take") {
  const u64 budget = 10 * kNsPerMs, much = 60 * kNsPerMs;
  const auto about = [](u64 value, u64 wanted) { return value > wanted * 8 / 10 && value <= wanted; };
  Pace all;
  const Spent of_all = settle(all, {0, {much, much, much, 2 * budget}});
  CHECK(about(of_all.points_ns, budget / 2));
  CHECK(about(of_all.waits_ns, budget / 8));
  CHECK(about(of_all.agent_ns, budget / 8));
  CHECK(about(of_all.interrupts_ns, budget / 4));
  // What needs less than its part is left alone, and what it leaves is for the others.
  Pace some;
  const Spent of_some = settle(some, {0, {kNsPerMs, much, kNsPerMs, kNsPerMs}});
  CHECK_EQUAL(some.stretch(Pace::kPoints), Session::kUnstretched);
  CHECK_EQUAL(some.stretch(Pace::kAgent), Session::kUnstretched);
  CHECK(about(of_some.waits_ns, budget - 3 * kNsPerMs));
  CHECK(sum_of(of_some) <= budget);
}

TEST("pace: the bound holds with waits and the agent's own threads in it, of a program on several cores too") {
  for (u64 cpu : {u64{0}, u64{1000}, u64{3500}}) {
    Pace pace;
    const u64 base = max_of<u64>(cpu * kNsPerMs, kSecond);
    CHECK(sum_of(settle(pace, {cpu * kNsPerMs, {90 * kNsPerMs, 50 * kNsPerMs, 45 * kNsPerMs, 5 * kNsPerMs}})) <= base / 100);
  }
}

TEST("pace: one dear moment does not stretch anything for long") {
  Config config;
  config.budget_ppm = 10000;
  Pace pace;
  for (int round = 0; round < 10; round++) pace.step(config, kSecond, {kNsPerMs, 0, kNsPerMs, 0}, 0);
  pace.step(config, kSecond, {kNsPerMs, 0, 30 * kNsPerMs, 0}, 0);
  for (int round = 0; round < 10; round++) pace.step(config, kSecond, {kNsPerMs, 0, kNsPerMs, 0}, 0);
  for (Pace::Part part : {Pace::kPoints, Pace::kWaits, Pace::kAgent, Pace::kInterrupts})
    CHECK_EQUAL(pace.stretch(part), Session::kUnstretched);
}

TEST("pace: is bounded, and nothing without a budget") {
  Config config;
  Pace pace;
  for (int round = 0; round < 50; round++) pace.step(config, kSecond, {kSecond, kSecond, kSecond, kSecond}, 0);
  CHECK_EQUAL(pace.stretch(Pace::kPoints), 64 * Session::kUnstretched);
  config.budget_ppm = 0;
  Pace free;
  free.step(config, kSecond, {kSecond, kSecond, kSecond, kSecond}, 0);
  CHECK_EQUAL(free.stretch(Pace::kPoints), Session::kUnstretched);
}

TEST("waits: what tells of one costs no more of its time than the budget has") {
  Session session{};
  session.waits_stretch.store(Session::kUnstretched);
  ThreadRecord record{};
  session.config.budget_ppm = 10000;
  record.held.mean_cost_ns = 30000;
  CHECK(!is_forced(session, record, 2 * kNsPerMs));
  CHECK(is_forced(session, record, 3 * kNsPerMs));
  record.held.mean_cost_ns = 100;
  CHECK(!is_forced(session, record, kNsPerMs - 1));
  CHECK(is_forced(session, record, kNsPerMs));
  session.waits_stretch.store(4 * Session::kUnstretched);
  CHECK(!is_forced(session, record, 4 * kNsPerMs - 1));
  CHECK(is_forced(session, record, 4 * kNsPerMs));
}

}  // namespace
