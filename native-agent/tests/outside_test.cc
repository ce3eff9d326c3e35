// Who is looked at from outside, and how often, where there are no timers.
#include "core/outside.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "fake_runtime.h"
#include "harness.h"

using namespace btrace;

namespace {

// Walks cost so much that a round of all threads takes long, and the pause after it far longer.
struct SlowRuntime final : Runtime {
  std::atomic<int> of_main{0}, of_others{0};
  FakeRuntime fake;
  void describe(TargetDescription&) override {}
  bool enter_agent_thread(const char*) override { return true; }
  void leave_agent_thread() override {}
  void install(Session&) override {}
  void remove(Session&) override {}
  void describe_thread(ThreadRecord&, ThreadDescription&) override {}
  void forget_thread(ThreadRecord&) override {}
  bool name_method(u64 code, NameSink& sink) override { return fake.name_method(code, sink); }
  bool name_class(u64 key, NameSink& sink) override { return fake.name_class(key, sink); }
  bool walks_outside() override { return true; }
  i32 walk_outside(ThreadRecord& record, Frame* frames, u32, WalkNotes&) override {
    (record.is_main ? of_main : of_others)++;
    for (const i64 until = own_cpu_ns() + kNsPerMs; own_cpu_ns() < until;) {
    }
    frames[0] = {1, 0};
    return 1;
  }
};

// As the agent's own thread does, until it is asked to end.
void look(Session& session, Runtime& runtime, Atomic<u32>& asked_to_end) {
  g_threads.mine()->busy.store(Holder::Never);
  OutsideSampler sampler(asked_to_end);
  if (sampler.init(session, runtime)) sampler.run(kNsPerMs);
  sampler.release();
}

void work_a_little() {
  for (const i64 until = own_cpu_ns() + 20 * kNsPerUs; own_cpu_ns() < until;) {
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST("outside: the main thread has its own pace, whatever the others cost") {
  constexpr int kOthers = 10, kRounds = 4;
  Config config;
  config.async_interval_ns = 5 * kNsPerMs;
  Session* session = open_session(config);
  CHECK(session != nullptr);
  activate_session(*session);
  std::atomic<bool> over{false};
  std::vector<std::thread> others;
  for (int i = 0; i < kOthers; i++)
    others.emplace_back([&over] {
      g_threads.mine()->runtime_ref.store(&over);
      while (!over.load()) work_a_little();
    });
  ThreadRecord* main = g_threads.mine();
  CHECK(main->is_main);
  main->runtime_ref.store(&over);
  SlowRuntime runtime;
  Atomic<u32> asked_to_end{};
  std::thread looker([&] { look(*session, runtime, asked_to_end); });
  // Whole rounds of the others and the pauses between them, however long that takes on a busy machine.
  while (runtime.of_others.load() < kRounds * kOthers) work_a_little();
  asked_to_end.store(1);
  looker.join();
  over.store(true);
  for (std::thread& other : others) other.join();
  main->runtime_ref.store(nullptr);
  deactivate_session();
  close_session(*session);
  // Among the others it would be looked at once a round; alone it comes to some eight.
  CHECK(runtime.of_main.load() >= 2 * kRounds);
}

// Of two threads that stand still: one has no frames, the other cannot be told of yet.
struct FramelessRuntime final : FakeRuntime {
  Atomic<ThreadRecord*> frameless{};
  Atomic<u32> walks_of_frameless{}, walks_of_unknown{};
  bool walks_outside() override { return true; }
  i32 walk_outside(ThreadRecord& record, Frame*, u32, WalkNotes&) override {
    bool none = &record == frameless.load();
    (none ? walks_of_frameless : walks_of_unknown).add(1);
    return none ? 0 : kWalkLater;
  }
};

TEST("outside: a thread that has no frames is not walked again while it does not run") {
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
    g_threads.mine()->runtime_ref.store(&over);
    std::lock_guard until_it_is_over(still);
  };
  std::thread frameless([&] {
    runtime.frameless.store(g_threads.mine());
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

}  // namespace
