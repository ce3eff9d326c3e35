// The lag watch's logic, by a clock that the test drives: what was planted is found, and nothing else.
#include "core/lag_watch.h"

#include <string>
#include <vector>

#include "harness.h"

using namespace btrace;

namespace {

constexpr i64 kMs = kNsPerMs;
constexpr i64 kSecond = kNsPerSecond;

// The same numbers in each run.
struct Random {
  u64 state = 88172645463325252;
  i64 between(i64 least, i64 most) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return least + static_cast<i64>(state % static_cast<u64>(most - least + 1));
  }
};

LagStack stack_of(u64 innermost, u64 caller) {
  return {innermost, innermost * 31 + caller, 0};
}

// A thread that handles messages as they are planted, and the watch's thread that looks at it every 50 ms.
struct Watched {
  LagLimits limits;
  MessageWatch messages{limits.message_ns};
  Annealing annealing{limits.look_ns};
  RecentStacks stacks;
  i64 now = kSecond;
  i64 next_look = now, next_stack = now;
  u32 files = 0, found = 0;
  std::vector<i64> written_at, compared_at;
  std::vector<u64> lag_stacks;

  // `is_exact`: the loop itself tells, as opposed to the thread's waits.
  void run_until(i64 end, i64 message_since, bool is_exact, const LagStack& stack) {
    const i64 begin = now;
    for (i64 next; (next = min_of(next_look, next_stack)) < end;) {
      now = next;
      if (message_since && is_exact) messages.handles_since(message_since);
      if (!message_since) messages.waits_since(begin);
      if (now >= next_stack) {
        stacks.add(now, stack);
        next_stack += limits.stack_ns;
      }
      if (now >= next_look) {
        look();
        next_look += limits.look_ns;
      }
    }
    now = end;
  }
  void look() {
    Lag lag;
    if (!messages.look(now, lag)) return annealing.end();
    found += lag.is_new;
    if (!lag.is_new && !annealing.is_due(now)) return;
    compared_at.push_back(now);
    const auto costliest = stacks.costliest(lag.begin_ns, lag.end_ns ? lag.end_ns : now);
    if (lag.is_new) lag_stacks.push_back(costliest.stack.innermost);
    if (!annealing.should_write(now, costliest.stack.whole, lag.is_new)) return;
    files++;
    written_at.push_back(now);
  }
  void message(i64 ns, u64 innermost, bool is_exact = true) {
    const i64 begin = now;
    run_until(begin + ns, begin, is_exact, stack_of(innermost, 1));
    if (is_exact) messages.handled(begin, now);
  }
  void wait(i64 ns, bool is_exact = true) {
    const i64 begin = now;
    if (is_exact) messages.waits_since(begin);
    run_until(begin + ns, 0, is_exact, stack_of(1, 1));
    if (!is_exact) messages.waited(begin, now);
  }
};

TEST("lag watch: 1,000 planted lags are found, and none is invented") {
  for (bool is_exact : {true, false}) {
    Watched thread;
    Random random;
    thread.wait(kSecond, is_exact);
    u32 planted = 0;
    for (int round = 0; planted < 1000; round++) {
      const bool is_lag = random.between(0, 9) == 0;
      const i64 ns = is_lag ? random.between(2000 * kMs, 9000 * kMs) : random.between(kMs / 10, 1999 * kMs);
      thread.message(ns, 10 + static_cast<u64>(random.between(0, 5)), is_exact);
      thread.wait(random.between(kMs, 300 * kMs), is_exact);
      planted += is_lag;
    }
    thread.wait(3 * kSecond, is_exact);
    CHECK_EQUAL(thread.found, planted);
    CHECK_EQUAL(thread.messages.lags(), u64{planted});
  }
}

TEST("lag watch: a lag that goes on is found within a look after the limit, a shorter message never") {
  Watched thread;
  thread.wait(kSecond + 300 * kMs);
  const i64 begin = thread.now;
  thread.message(3 * kSecond, 10);
  CHECK_EQUAL(thread.found, 1u);
  CHECK(thread.written_at[0] - begin <= 3 * kSecond);
  thread.wait(kSecond);
  thread.message(1500 * kMs, 11);
  thread.wait(5 * kSecond);
  CHECK_EQUAL(thread.found, 1u);
}

TEST("lag watch: a thread that waits for what is not known yet has no lag until that is known") {
  MessageWatch messages(2 * kSecond);
  Lag lag;
  messages.waited(kSecond, 2 * kSecond);
  // A message of 0.1 s, and then a wait that nobody has looked at.
  CHECK(!messages.look(5 * kSecond, lag, false));
  messages.waits_since(2100 * kMs);  // it was for the next message
  CHECK(!messages.look(6 * kSecond, lag));
  messages.waited(2100 * kMs, 7 * kSecond);
  CHECK(!messages.look(9500 * kMs, lag, false));
  CHECK(messages.look(9500 * kMs, lag));  // it was for a lock
  CHECK_EQUAL(lag.begin_ns, 7 * kSecond);
  CHECK_EQUAL(messages.lags(), 1u);
}

TEST("lag watch: one that ends between two looks is found afterwards, with the stack that it had") {
  Watched thread;
  thread.wait(kSecond + 900 * kMs);
  thread.message(2050 * kMs, 77);  // looks are due 0.1, 1.1 and 2.1 s after its begin
  CHECK_EQUAL(thread.found, 0u);
  thread.wait(kSecond);
  CHECK_EQUAL(thread.found, 1u);
  CHECK_EQUAL(thread.lag_stacks[0], 77u);
}

TEST("lag watch: a freeze of 60 s makes one file, and is compared after 1, 2, 4, 7, 12, 20, 33 and 54 looks") {
  Watched thread;
  thread.wait(kSecond);
  thread.message(60 * kSecond, 10);
  CHECK_EQUAL(thread.files, 1u);
  const std::vector<i64> after = {0, 1, 2, 4, 7, 12, 20, 33, 54};
  CHECK_EQUAL(thread.compared_at.size(), after.size());
  for (size_t i = 0; i < after.size(); i++)
    CHECK_EQUAL(thread.compared_at[i] - thread.compared_at[0], after[i] * kSecond);
}

TEST("lag watch: another stack within a freeze is written, and looked at every second again") {
  Watched thread;
  thread.wait(kSecond);
  const i64 begin = thread.now;
  thread.run_until(begin + 20 * kSecond, begin, true, stack_of(10, 1));
  thread.run_until(begin + 40 * kSecond, begin, true, stack_of(20, 1));
  CHECK_EQUAL(thread.files, 2u);
  // It goes back to the first: that one is written already.
  thread.run_until(begin + 60 * kSecond, begin, true, stack_of(10, 1));
  CHECK_EQUAL(thread.files, 2u);
  CHECK_EQUAL(thread.found, 1u);
}

TEST("lag watch: the last lag's stack is not written again, another one's is") {
  Watched thread;
  for (u64 innermost : {10, 10, 10, 20, 10}) {
    thread.wait(3 * kSecond);
    thread.message(4 * kSecond, innermost);
  }
  CHECK_EQUAL(thread.found, 5u);
  CHECK_EQUAL(thread.files, 3u);
}

TEST("lag watch: counts the lags that it did not write") {
  Annealing annealing(kSecond);
  CHECK(annealing.should_write(0, 1, true));
  CHECK(!annealing.should_write(10 * kSecond, 1, true));
  CHECK(!annealing.should_write(20 * kSecond, 1, true));
  CHECK_EQUAL(annealing.unwritten(), 2u);
  CHECK(annealing.should_write(30 * kSecond, 2, true));
  CHECK_EQUAL(annealing.unwritten(), 0u);
}

TEST("costliest stack: the one with most repeats, of equals the latest, and only of the message") {
  RecentStacks stacks;
  CHECK_EQUAL(stacks.costliest(0, kSecond).of, 0u);
  for (int i = 0; i < 12; i++) stacks.add(i * 50 * kMs, stack_of(1, static_cast<u64>(i)));
  for (int i = 12; i < 20; i++) stacks.add(i * 50 * kMs, stack_of(2, 0));
  const auto all = stacks.costliest(0, kSecond);
  CHECK_EQUAL(all.stack.innermost, 1u);
  CHECK_EQUAL(all.stack.whole, stack_of(1, 11).whole);  // the latest of them
  CHECK_EQUAL(all.repeats, 12u);
  CHECK_EQUAL(all.of, 20u);
  CHECK_EQUAL(stacks.costliest(600 * kMs, kSecond).stack.innermost, 2u);
  RecentStacks equal;
  for (u64 innermost : {3, 4, 3, 4}) equal.add(kSecond, stack_of(innermost, 0));
  CHECK_EQUAL(equal.costliest(0, kSecond).stack.innermost, 4u);
}

TEST("costliest stack: 1.6 s in one function and 0.5 s in another give the first, in 100 of 100") {
  Random random;
  u32 right = 0;
  for (int round = 0; round < 100; round++) {
    Watched thread;
    thread.wait(kSecond + random.between(0, 999) * kMs);
    const i64 begin = thread.now;
    // What came before the last second is out of the ring: of that second the first has 0.5 s and more.
    thread.run_until(begin + 1600 * kMs, begin, true, stack_of(10, 1));
    const i64 end = begin + 2020 * kMs;
    thread.run_until(end, begin, true, stack_of(20, 1));
    right += thread.stacks.costliest(begin, end).stack.innermost == 10;
  }
  CHECK_EQUAL(right, 100u);
}

TEST("cpu watch: two looks above the limit are a lag, one is none, and an idle program has none in an hour") {
  CpuWatch watch(80);
  i64 cpu = 0, now = kSecond;
  CHECK_EQUAL(watch.look(now, 5 * kSecond), 0u);  // used before the watch began
  cpu = 5 * kSecond;
  const auto second = [&](i64 used) { return watch.look(now += kSecond, cpu += used); };
  for (int i = 0; i < 3600; i++) CHECK_EQUAL(second(i % 7 ? kMs : 800 * kMs), 0u);
  CHECK_EQUAL(second(900 * kMs), 1u);
  CHECK_EQUAL(second(100 * kMs), 0u);
  CHECK_EQUAL(second(900 * kMs), 1u);
  CHECK_EQUAL(second(1900 * kMs), CpuWatch::kLooks);
  CHECK_EQUAL(watch.percent(), 190u);
  CHECK_EQUAL(now - watch.since_ns(), 2 * kSecond);
  CpuWatch off(0);
  CHECK_EQUAL(off.look(kSecond, 0), 0u);
  CHECK_EQUAL(off.look(2 * kSecond, 2 * kSecond), 0u);
}

TEST("lag quota: 5 % of users are drawn, each day others, and always the same on one day") {
  LagQuota quota;
  quota.share_permille = 50;
  u32 drawn = 0, again = 0;
  for (u32 user = 0; user < 20000; user++) {
    const u64 hash = stable_hash(("user-" + std::to_string(user)).c_str());
    const bool today = quota.is_drawn(hash, 20000);
    CHECK_EQUAL(quota.is_drawn(hash, 20000), today);
    drawn += today;
    again += today && quota.is_drawn(hash, 20001);
  }
  CHECK(drawn > 900 && drawn < 1100);
  CHECK(again > 20 && again < 90);  // 5 % of them
  CHECK_EQUAL(stable_hash("user-1"), 4729620347622785477ull);
  quota.always = true;
  CHECK(quota.is_drawn(1, 1) && quota.is_drawn(2, 1));
}

TEST("lag watch: a day with a freeze each minute stays within the files of a day") {
  Watched thread;
  Random random;
  LagQuota quota;
  thread.wait(kSecond);
  const i64 begin = thread.now;
  u32 planted = 0, written = 0, before = 0;
  while (thread.now - begin < kNsPerDay) {
    thread.message(random.between(2100, 3000) * kMs, 10 + planted % 3);
    planted++;
    thread.wait(60 * kSecond - random.between(2100, 3000) * kMs);
    for (; before < thread.files; before++) written += written < quota.files_a_day;
  }
  thread.wait(2 * kSecond);
  CHECK_EQUAL(thread.found, planted);
  CHECK(planted > 1400);
  CHECK_EQUAL(thread.files, planted);  // each has another stack than the one before
  CHECK_EQUAL(written, quota.files_a_day);
}

}  // namespace
