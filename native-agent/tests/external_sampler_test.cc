// Which threads the external sampler walks, and how often, where there are no timers.
#include "core/external_sampler.h"

#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "fake_runtime.h"
#include "harness.h"
#include "os/machine.h"

using namespace btrace;

namespace {

// As the agent's own thread does, until it is asked to end.
void look(Session& session, Runtime& runtime, Atomic<u32>& asked_to_end, u32 group = kAllGroups) {
  g_threads.current_record()->busy.store(Holder::Never);
  ExternalSampler sampler(asked_to_end, group);
  Atomic<u32> looked{};
  if (sampler.init(session, runtime)) sampler.run(kNsPerMs, looked);
  sampler.release();
}

void work_a_little() {
  for (const i64 until = own_cpu_ns() + 20 * kNsPerUs; own_cpu_ns() < until;) {
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Who walked whom; the walk of one thread lasts until it is let go.
struct HoldingRuntime final : FakeRuntime {
  struct Walked {
    std::set<u32> by;
    int walks = 0;
  };
  Atomic<ThreadRecord*> held{};
  Atomic<u32> holds{};
  std::mutex lock;
  std::map<ThreadRecord*, Walked> walked;
  bool can_walk_other_threads() override { return true; }
  i32 walk_other_thread(ThreadRecord& record, Frame* frames, u32, WalkNotes&) override {
    {
      std::lock_guard current_record(lock);
      walked[&record].by.insert(sys::gettid());
      walked[&record].walks++;
    }
    while (held.load() == &record) {
      holds.store(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    frames[0] = {1, 0};
    return 1;
  }
  Walked of(ThreadRecord* record) {
    std::lock_guard current_record(lock);
    return walked[record];
  }
};

// However long it takes on a busy machine.
template <class Condition>
void wait_until(const char* what, Condition condition) {
  for (const i64 until = now_ns() + 60 * kNsPerSecond; !condition(); work_a_little())
    if (now_ns() > until) harness::fail(__FILE__, __LINE__, what);
}

TEST("external sampler: one sampler walks each thread, and a slow walk delays its group alone") {
  Config config;
  config.async_interval_ns = kNsPerMs;
  Session* session = open_session(config);
  CHECK(session != nullptr);
  activate_session(*session);
  HoldingRuntime runtime;
  Atomic<u32> over{}, asked_to_end{};
  std::vector<std::thread> threads;
  std::vector<ThreadRecord*> all{g_threads.current_record()};
  CHECK(all[0]->is_main);
  all[0]->runtime_ref.store(&over);
  for (u32 i = 0; i < 4 * kThreadGroups; i++) {
    Atomic<ThreadRecord*> met{};
    threads.emplace_back([&] {
      ThreadRecord* mine = g_threads.current_record();
      mine->runtime_ref.store(&over);
      met.store(mine);
      while (!over.load()) work_a_little();
    });
    while (!met.load()) std::this_thread::yield();
    all.push_back(met.load());
  }
  std::vector<std::thread> samplers;
  for (u32 group = 0; group < kThreadGroups; group++)
    samplers.emplace_back([&, group] { look(*session, runtime, asked_to_end, group); });
  auto all_walked = [&](auto which, int more) {
    std::map<ThreadRecord*, int> wanted;
    for (ThreadRecord* record : all) wanted[record] = runtime.of(record).walks + more;
    wait_until("walks", [&] {
      for (ThreadRecord* record : all)
        if (which(*record) && runtime.of(record).walks < wanted[record]) return false;
      return true;
    });
  };
  std::string failed;
  try {
    all_walked([](ThreadRecord&) { return true; }, 2);
    ThreadRecord* held = all.back();
    runtime.held.store(held);
    wait_until("the walk that lasts", [&] { return runtime.holds.load() != 0; });
    all_walked([&](ThreadRecord& record) { return group_of(record) != group_of(*held); }, 3);
  } catch (const harness::Failure& failure) {
    failed = failure.what;
  }
  runtime.held.store(nullptr);
  asked_to_end.store(1);
  for (std::thread& sampler : samplers) sampler.join();
  over.store(1);
  for (std::thread& thread : threads) thread.join();
  all[0]->runtime_ref.store(nullptr);
  deactivate_session();
  close_session(*session);
  CHECK_EQUAL(failed, "");
  std::map<u32, std::vector<ThreadRecord*>> of;  // by sampler
  for (ThreadRecord* record : all) {
    CHECK_EQUAL(runtime.walked[record].by.size(), size_t{1});
    of[*runtime.walked[record].by.begin()].push_back(record);
  }
  CHECK_EQUAL(of.size(), size_t{kThreadGroups});
  CHECK_EQUAL(of[*runtime.walked[all[0]].by.begin()].size(), size_t{1});
}

// Of two threads that stand still: one has no frames, the other cannot be told of yet.
struct FramelessRuntime final : FakeRuntime {
  Atomic<ThreadRecord*> frameless{};
  Atomic<u32> walks_of_frameless{}, walks_of_unknown{};
  bool can_walk_other_threads() override { return true; }
  i32 walk_other_thread(ThreadRecord& record, Frame*, u32, WalkNotes&) override {
    bool none = &record == frameless.load();
    (none ? walks_of_frameless : walks_of_unknown).add(1);
    return none ? 0 : kWalkLater;
  }
};

TEST("external sampler: does not walk a thread without frames again until it runs") {
  Config config;
  config.async_interval_ns = kNsPerMs;
  Session* session = open_session(config);
  CHECK(session != nullptr);
  activate_session(*session);
  FramelessRuntime runtime;
  Atomic<u32> over{};
  std::mutex still;
  still.lock();
  auto stand_still = [&] {
    g_threads.current_record()->runtime_ref.store(&over);
    std::lock_guard until_it_is_over(still);
  };
  std::thread frameless([&] {
    runtime.frameless.store(g_threads.current_record());
    stand_still();
  });
  while (!runtime.frameless.load()) std::this_thread::yield();
  std::thread unknown(stand_still);
  std::thread looker([&] { look(*session, runtime, over); });
  while (runtime.walks_of_unknown.load() < 20) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  over.store(1);
  looker.join();
  still.unlock();
  frameless.join();
  unknown.join();
  deactivate_session();
  close_session(*session);
  // Once, and once more where it was walked on its way to where it stands.
  CHECK(runtime.walks_of_frameless.load() >= 1 && runtime.walks_of_frameless.load() <= 2);
}

// Of a thread that cannot be walked, at once or only after a while.
struct FailingRuntime final : FakeRuntime {
  Atomic<u32> walks{};
  bool times_out = false;
  bool can_walk_other_threads() override { return true; }
  i32 walk_other_thread(ThreadRecord&, Frame*, u32, WalkNotes&) override {
    walks.add(1);
    if (!times_out) return -1;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return kTimedOut;
  }
};

// Looks at a thread that works, as long as `until` takes; `then` gets the thread's record while it is still there.
template <class Until, class Then>
void look_at_worker(Session& session, Runtime& runtime, Until until, Then then) {
  Atomic<u32> over{}, asked_to_end{};
  Atomic<ThreadRecord*> met{};
  std::thread worker([&] {
    g_threads.current_record()->runtime_ref.store(&over);
    met.store(g_threads.current_record());
    while (!over.load()) work_a_little();
  });
  std::thread looker([&] { look(session, runtime, asked_to_end); });
  std::string failed;
  try {
    until();
  } catch (const harness::Failure& failure) {
    failed = failure.what;
  }
  asked_to_end.store(1);
  looker.join();
  then(*met.load());
  over.store(1);
  worker.join();
  deactivate_session();
  close_session(session);
  CHECK_EQUAL(failed, "");
}

TEST("external sampler: counts a failed walk as a lost sample and retries") {
  Config config;
  config.async_interval_ns = kNsPerMs;
  Session* session = open_session(config);
  CHECK(session != nullptr);
  activate_session(*session);
  FailingRuntime runtime;
  u32 lost = 0;
  bool has_row = true;
  look_at_worker(
      *session, runtime, [&] { wait_until("walks", [&] { return runtime.walks.load() >= 5; }); },
      [&](ThreadRecord& record) {
        lost = record.held.lost[static_cast<u32>(LossReason::WalkError)].load();
        has_row = record.held.has_pending.load() || !record.held.shard.empty(session->pool);
      });
  CHECK_EQUAL(lost, runtime.walks.load());
  CHECK(!has_row);
}

TEST("external sampler: does not retry a thread that was not reached in time until the budget allows") {
  Config config;
  config.async_interval_ns = kNsPerMs;
  config.budget_ppm = 10000;
  Session* session = open_session(config);
  CHECK(session != nullptr);
  activate_session(*session);
  FailingRuntime runtime;
  runtime.times_out = true;
  u32 lost = 0;
  auto walked_once = [&] {
    wait_until("a walk", [&] { return runtime.walks.load() >= 1; });
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  };
  look_at_worker(*session, runtime, walked_once, [&](ThreadRecord& record) {
    lost = record.held.lost[static_cast<u32>(LossReason::SuspendTimeout)].load();
  });
  // Of 300 ms one walk of 20 ms is more than a hundredth.
  CHECK_EQUAL(runtime.walks.load(), 1u);
  CHECK_EQUAL(lost, 1u);
}

// A first walk that costs so much CPU time as none after it does, and when it was over.
struct SlowAtFirstRuntime final : FakeRuntime {
  static constexpr i64 kFirstNs = 8 * kNsPerMs;
  Atomic<i64> first_over_ns{}, second_ns{};
  bool can_walk_other_threads() override { return true; }
  i32 walk_other_thread(ThreadRecord&, Frame*, u32, WalkNotes&) override {
    if (first_over_ns.load()) {
      if (!second_ns.load()) second_ns.store(now_ns());
      return -1;
    }
    for (const i64 until = own_cpu_ns() + kFirstNs; own_cpu_ns() < until;) {
    }
    first_over_ns.store(now_ns());
    return -1;
  }
};

TEST("external sampler: one costly walk is no reason to look away for long") {
  Config config;
  config.async_interval_ns = kNsPerMs;
  // Of the last walk alone the share of a core would be such a pause. It is only as long as it happens to be on a
  // machine where others have the processor: the shortest of some counts.
  constexpr i64 kPauseOfOneNs = 50 * SlowAtFirstRuntime::kFirstNs;
  i64 shortest = kPauseOfOneNs;
  for (int turn = 0; turn < 20 && shortest >= kPauseOfOneNs; turn++) {
    Session* session = open_session(config);
    CHECK(session != nullptr);
    activate_session(*session);
    SlowAtFirstRuntime runtime;
    look_at_worker(
        *session, runtime, [&] { wait_until("a second walk", [&] { return runtime.second_ns.load() != 0; }); },
        [](ThreadRecord&) {});
    shortest = min_of(shortest, runtime.second_ns.load() - runtime.first_over_ns.load());
  }
  CHECK(shortest < kPauseOfOneNs);
}

struct TimedRuntime final : FakeRuntime {
  Atomic<u32> walks{};
  bool can_walk_other_threads() override { return true; }
  bool can_walk_here() override { return true; }
  i32 walk_other_thread(ThreadRecord&, Frame* frames, u32, WalkNotes&) override {
    walks.add(1);
    frames[0] = {1, 0};
    return 1;
  }
};

TEST("external sampler: sees where a thread with a CPU timer stands between short pieces of work") {
#if defined(__SANITIZE_THREAD__)  // which cannot follow handlers that are set behind its back
  return;
#endif
  Config config;
  config.async_interval_ns = 5 * kNsPerMs;  // longer than it ever stands
  Session* session = open_session(config);
  CHECK(session != nullptr);
  activate_session(*session);
  TimedRuntime runtime;
  Atomic<u32> over{}, asked_to_end{};
  std::thread worker([&] {
    g_threads.current_record()->runtime_ref.store(&over);
    while (!over.load()) work_a_little();
  });
  std::thread looker([&] { look(*session, runtime, asked_to_end); });
  std::string failed;
  try {
    wait_until("walks", [&] { return runtime.walks.load() >= 10; });
  } catch (const harness::Failure& failure) {
    failed = failure.what;
  }
  asked_to_end.store(1);
  looker.join();
  over.store(1);
  worker.join();
  deactivate_session();
  close_session(*session);
  CHECK_EQUAL(failed, "");
}

}  // namespace

TEST("external sampler: at the end one that has worked since its last row is walked, and one that has not is left alone") {
  Session* session = open_session({});
  CHECK(session != nullptr);
  activate_session(*session);
  session->has_timers.store(1);
  HoldingRuntime runtime;
  Atomic<ThreadRecord*> worker{}, sleeper{};
  Atomic<u32> over{};
  const auto begin = [&](Atomic<ThreadRecord*>& mine) {
    ThreadRecord& record = *g_threads.current_record();
    record.runtime_ref.store(&over);
    record.begin_ns.store(now_ns());
    begin_thread(*session, record, 77);
    mine.store(&record);
  };
  std::jthread works([&] {
    begin(worker);
    while (!over.load()) continue;
  });
  std::mutex until_over;
  std::unique_lock sleeps_until(until_over);
  std::jthread sleeps([&] {
    begin(sleeper);
    std::lock_guard asleep(until_over);
  });
  // Also when a check fails: then these are joined.
  const struct AtEnd {
    Atomic<u32>& over;
    std::unique_lock<std::mutex>& sleeps_until;
    ~AtEnd() {
      over.store(1);
      if (sleeps_until) sleeps_until.unlock();
    }
  } at_end{over, sleeps_until};
  const auto cpu_of = [](Atomic<ThreadRecord*>& of) { return thread_cpu_ns(of.load()->tid.load()); };
  wait_until("both are there, and one sleeps", [&] {
    return worker.load() && sleeper.load() && !thread_runs(sleeper.load()->tid.load());
  });
  // A machine that is slow enough lets the sleeper's start count as work: it is told once, and then never again.
  for (int pass = 1; pass <= 3; pass++) {
    const i64 before = cpu_of(worker);
    wait_until("one has worked", [&] { return cpu_of(worker) > before + 3 * kNsPerMs; });
    wait_until("it is walked", [&] {
      tell_last_work(*session, runtime);
      return runtime.of(worker.load()).walks >= pass;
    });
  }
  const int slept = runtime.of(sleeper.load()).walks;
  ThreadRecord& record = *worker.load();
  flush_pending(*session, record, 0);
  std::vector<Row> rows(20);
  rows.resize(record.held.shard.pop(session->pool, rows.data(), rows.size()));
  over.store(1);
  sleeps_until.unlock();
  works.join();
  sleeps.join();
  deactivate_session();
  close_session(*session);
  CHECK(slept <= 1);
  CHECK(rows.size() >= 2);
  CHECK_EQUAL(rows[0].cpu_ns, 0);
  CHECK(rows[1].cpu_ns > 2 * kNsPerMs);
}
