// The lag watch's look at threads: which waits are for the next message.
#include "agent/watched_threads.h"

#include <pthread.h>

#include <atomic>
#include <memory>
#include <semaphore>
#include <thread>

#include "base/clock.h"
#include "base/syscall.h"
#include "core/capture.h"
#include "fake_runtime.h"
#include "harness.h"

using namespace btrace;

namespace {

constexpr i64 kMs = kNsPerMs;
constexpr u64 kTake = 1, kWork = 2;

struct QueueRuntime : FakeRuntime {
  bool name_method(u64 code, NameSink& sink) override {
    if (code != kTake) return FakeRuntime::name_method(code, sink);
    const u32 owner = sink.add_class(2, "java.util.concurrent.LinkedBlockingQueue", nullptr);
    sink.set_method(owner, "take", "()V", MethodKind::Managed, nullptr, 0);
    return true;
  }
};

// How many lags of 100 ms are found of two messages of 70 ms each if the wait of 10 ms between them got no row. A
// sampler saw the thread at `seen`, `seen_after_ns` after that wait began.
u32 lags_found(u64 seen, i64 seen_after_ns) {
  Config config;
  config.budget_ppm = 0;
  Session* session = open_session(config);
  CHECK(session != nullptr);
  activate_session(*session);
  ThreadRecord& record = *g_threads.current_record();
  const auto node_of = [&](u64 code) {
    const Frame frame{code, 1};
    return session->stacks.insert(&frame, 1, record.held.last);
  };
  QueueRuntime runtime;
  record.runtime_ref.store(&runtime);
  auto threads = std::make_unique<WatchedThreads>();
  LagLimits limits;
  limits.message_ns = 100 * kMs;
  CHECK(threads->begin("*", limits, runtime));
  threads->enter(*session);
  threads->find();
  LoopLog* log = record.loop.load();
  CHECK(log != nullptr);

  const i64 begin = now_ns() - 200 * kMs;
  const i64 between = begin + 80 * kMs;
  log->waited(begin, begin + 10 * kMs, node_of(kTake));
  log->waited(between, between + 10 * kMs, LoopLog::kNotWalked);
  log->waited(between + 80 * kMs, between + 90 * kMs, node_of(kTake));
  record.walked.session.store(session->id);
  record.walked.epoch.store(session->stacks.epoch());
  record.walked.stack.store(node_of(seen));
  record.walked.ns.store(between + seen_after_ns);
  record.walked.cpu_ns.store(0);
  threads->observe(*session, begin + 180 * kMs);

  u32 found = 0;
  for (WatchedThread& thread : threads->places()) {
    Lag lag;
    while (thread.record == &record && thread.messages.look(begin + 180 * kMs, lag)) found++;
  }
  threads->end();
  CHECK(record.loop.load() == nullptr);
  record.walked.cpu_ns.store(-1);
  record.runtime_ref.store(nullptr);
  deactivate_session();
  close_session(*session);
  return found;
}

TEST("watched threads: a wait without a row is for a message if a sampler saw the thread wait for one in it") {
  CHECK_EQUAL(lags_found(kTake, 5 * kMs), 0u);
  CHECK_EQUAL(lags_found(kWork, 5 * kMs), 1u);   // as in a lock: the two are one message
  CHECK_EQUAL(lags_found(kTake, -5 * kMs), 1u);  // seen before that wait
  CHECK_EQUAL(lags_found(kTake, 15 * kMs), 1u);  // and after it
}

// False where the thread ran for longer before the look than one that has yet to name itself.
bool meets_late_thread(WatchedThreads& threads, FakeRuntime& runtime) {
  std::atomic<u32> tid{0};
  std::binary_semaphore may_name{0}, is_named{0}, may_end{0};
  std::thread late([&] {
    tid = sys::gettid();
    tid.notify_one();
    may_name.acquire();
    pthread_setname_np(pthread_self(), "late");
    is_named.release();
    may_end.acquire();
  });
  tid.wait(0);
  ThreadRecord& record = *g_threads.obtain(tid);
  record.runtime_ref.store(&runtime);
  threads.find();
  const bool is_watched_early = record.loop.load();
  const bool has_hardly_run = thread_cpu_ns(tid) < kNsPerMs;
  may_name.release();
  is_named.acquire();
  threads.find();
  const bool is_watched_late = record.loop.load();
  threads.end();
  may_end.release();
  late.join();
  record.runtime_ref.store(nullptr);
  g_threads.end_unbound(record);
  if (!has_hardly_run) return false;
  CHECK(!is_watched_early);
  CHECK(is_watched_late);
  return true;
}

TEST("watched threads: one that is met before it has named itself is watched once it has") {
  Config config;
  Session* session = open_session(config);
  CHECK(session != nullptr);
  activate_session(*session);
  FakeRuntime runtime;
  auto threads = std::make_unique<WatchedThreads>();
  CHECK(threads->begin("late", LagLimits{}, runtime));
  threads->enter(*session);
  int tries = 0;
  while (!meets_late_thread(*threads, runtime)) CHECK(++tries < 100);
  deactivate_session();
  close_session(*session);
}

}  // namespace
