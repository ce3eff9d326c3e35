// Threads that the runtime does not know: found, interrupted by their CPU clocks and walked by unwind tables.
#include "core/native_threads.h"

#include <pthread.h>

#include <csignal>
#include <thread>

#include "base/clock.h"
#include "core/waits.h"
#include "fake_runtime.h"
#include "harness.h"
#include "reads_memory.h"
#include "rows.h"

using namespace btrace;

namespace {

constexpr u64 kRoot = 9;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kHasWholeStacks = false;
#else
constexpr bool kHasWholeStacks = true;
#endif

struct Recording {
  Session* session;
  FakeRuntime runtime;
  CpuTimers timers;
  NativeThreads natives;
  explicit Recording(bool has_timers = true) {
    Config config;
    config.async_interval_ns = 10 * kNsPerMs;
    config.budget_ppm = 0;
    session = open_session(config);
    CHECK(session != nullptr);
    runtime.native_root = kRoot;
    g_threads.current_record()->runtime_ref.store(this);
    activate_session(*session);
    runtime.counts_natives = !has_timers;
    if (has_timers) CHECK(!timers.start(*session, runtime));
    natives.init(*session, runtime, timers);
    natives.tick(now_ns());
  }
  ~Recording() {
    natives.release();
    timers.stop();
    deactivate_session();
    g_threads.current_record()->runtime_ref.store(nullptr);
    close_session(*session);
    g_threads.release_unbound();
  }
  // Of a thread that has to be there still, or has just ended.
  std::vector<Row> rows(ThreadRecord& record) {
    flush_pending(*session, record, 0);
    std::vector<Row> rows(1000);
    rows.resize(record.held.shard.pop(session->pool, rows.data(), 1000));
    return rows;
  }
};

__attribute__((noinline)) void burn(i64 ns) {
  for (const i64 until = own_cpu_ns() + ns; own_cpu_ns() < until;) continue;
}

__attribute__((noinline)) void work(i64 ns) {
  for (u32 i = 0; i < 10; i++) burn(ns / 10);
}

// A native thread that works until it was found and `ns` of CPU time longer, then stays until it may go. On a busy machine,
// or an emulated one, it takes a while until it is found.
struct Worker {
  Atomic<u32> tid{}, is_found{}, is_done{}, may_go{};
  i64 ns;
  bool blocks_signals = false;
  pthread_t thread;
  Worker(i64 burns, size_t stack, bool blocks) : ns(burns), blocks_signals(blocks) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (stack) pthread_attr_setstacksize(&attributes, stack);
    CHECK(pthread_create(&thread, &attributes, &Worker::main, this) == 0);
    pthread_attr_destroy(&attributes);
  }
  static void* main(void* self) {
    auto& worker = *static_cast<Worker*>(self);
    if (worker.blocks_signals) {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, nullptr);
    }
    worker.tid.store(sys::gettid());
    for (const i64 until = now_ns() + 20 * kNsPerSecond; worker.ns && !worker.is_found.load() && now_ns() < until;)
      burn(kNsPerMs);
    work(worker.ns);
    worker.is_done.store(1);
    while (!worker.may_go.load()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return nullptr;
  }
  // The record, once its work is done.
  ThreadRecord& finish(Recording& recording) {
    while (!is_done.load()) {
      recording.natives.tick(now_ns());
      const ThreadRecord* known = g_threads.find(tid.load());
      if (known && recording.natives.has(*known) && (blocks_signals || known->timer.tid)) is_found.store(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    tell_last_cpu(*recording.session);
    ThreadRecord* record = g_threads.find(tid.load());
    CHECK(record != nullptr);
    return *record;
  }
  void end() {
    u32 no = 0;
    if (!may_go.swap_if(no, 1)) return;
    is_found.store(1);
    pthread_join(thread, nullptr);
  }
  ~Worker() { end(); }  // where a check has failed
};

std::vector<Node> stack_of(const Session& session, u32 node) {
  std::vector<Node> frames;
  for (; node; node = session.stacks.at(node).parent) frames.push_back(session.stacks.at(node));
  return frames;
}

bool lies_in(const Session& session, const Node& frame, void (*function)(i64)) {
  const auto begin = reinterpret_cast<uintptr_t>(function);
  const uintptr_t at = session.images.at(frame.image()).base + frame.code;
  return at >= begin && at < begin + 512;
}

TEST("native threads: one that works is found, and walked from where it is to where it began") {
  Recording recording;
  Worker worker(300 * kNsPerMs, 0, false);
  ThreadRecord& record = worker.finish(recording);
  CHECK(recording.natives.has(record));
  const auto rows = recording.rows(record);
  worker.end();
  u32 interrupts = 0, whole = 0;
  for (const Row& row : rows) {
    const auto frames = stack_of(*recording.session, row.stack);
    CHECK(!frames.empty());
    CHECK_EQUAL(frames.back().code, kRoot);
    CHECK(!frames.back().is_native());
    if (row.kind != SampleKind::CpuTimer) {
      CHECK_EQUAL(frames.size(), size_t{1});
      continue;
    }
    interrupts += row.stands_for();
    bool burns = false, works = false;
    for (const Node& frame : frames) {
      if (!frame.is_native()) continue;
      burns |= lies_in(*recording.session, frame, &burn);
      works |= burns && lies_in(*recording.session, frame, &work);
    }
    if (works && !(row.flags & kFlagCut)) whole += row.stands_for();
  }
  CHECK(interrupts >= 15);
  if (kHasWholeStacks && reads_memory()) CHECK(whole >= interrupts * 9 / 10);
  CHECK(rows.back().cpu_ns - rows.front().cpu_ns >= 300 * kNsPerMs);
}

TEST("native threads: one that blocks signals gets none, and what it used is told") {
  Recording recording;
  Worker worker(100 * kNsPerMs, 0, true);
  ThreadRecord& record = worker.finish(recording);
  CHECK_EQUAL(record.timer.tid, 0u);
  const auto rows = recording.rows(record);
  worker.end();
  for (const Row& row : rows) CHECK(row.kind == SampleKind::ExternalSampler);
  CHECK(rows.back().cpu_ns - rows.front().cpu_ns >= 90 * kNsPerMs);
  CHECK(std::string(recording.session->hook("native threads")->why).find("block") != std::string::npos);
}

TEST("native threads: one that waits used its CPU time before the wait began") {
  Recording recording;
  Worker worker(100 * kNsPerMs, 0, true);
  while (!worker.is_done.load()) {
    const ThreadRecord* known = g_threads.find(worker.tid.load());
    if (known && recording.natives.has(*known)) worker.is_found.store(1);
    if (!worker.is_found.load()) recording.natives.tick(now_ns());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ThreadRecord* record = g_threads.find(worker.tid.load());
  CHECK(record != nullptr);
  Wait wait{};
  wait.session = recording.session->id;
  wait.begin_ns = now_ns();
  publish_wait(*record, SampleKind::Condition, wait);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  tell_last_cpu(*recording.session);
  const auto rows = recording.rows(*record);
  withdraw_wait(*record);
  worker.end();
  CHECK(!rows.empty());
  CHECK_EQUAL(rows.back().time_ns, recording.session->since_origin(wait.begin_ns));
  CHECK(rows.back().cpu_ns - rows.front().cpu_ns >= 90 * kNsPerMs);
}

TEST("native threads: without timers all are counted, if the runtime wants it") {
  Recording recording(false);
  Worker worker(100 * kNsPerMs, 0, true);
  ThreadRecord& record = worker.finish(recording);
  CHECK_EQUAL(record.timer.tid, 0u);
  const auto rows = recording.rows(record);
  worker.end();
  for (const Row& row : rows) CHECK(row.kind == SampleKind::ExternalSampler);
  CHECK(rows.back().cpu_ns - rows.front().cpu_ns >= 90 * kNsPerMs);
  CHECK_EQUAL(std::string(recording.session->hook("native threads")->why),
              "they are counted, and where they work is not seen");
  recording.runtime.counts_natives = false;
  NativeThreads unwanted;
  unwanted.init(*recording.session, recording.runtime, recording.timers);
  CHECK(!unwanted.has(record));
}

TEST("native threads: one with next to no stack is left whole") {
  Recording recording;
  Worker worker(100 * kNsPerMs, 16384, false);
  ThreadRecord& record = worker.finish(recording);
  const auto rows = recording.rows(record);
  worker.end();
  CHECK(captures_in(rows) >= 5);
}

TEST("native threads: one that has done nothing has no timer and no row, and the record of one that ended is free") {
  Recording recording;
  Worker worker(0, 0, false);
  ThreadRecord* record = nullptr;
  for (const i64 until = now_ns() + 20 * kNsPerSecond; !record && now_ns() < until;) {
    burn(2 * kNsPerMs);  // a process that does nothing is not looked at
    recording.natives.tick(now_ns());
    record = g_threads.find(worker.tid.load());
  }
  CHECK(record != nullptr);
  CHECK(recording.natives.has(*record));
  // Under an emulator to begin is much work.
  if (thread_cpu_ns(worker.tid.load()) < kNsPerMs) {
    CHECK_EQUAL(record->timer.tid, 0u);
    CHECK(recording.rows(*record).empty());
  }
  const u32 tid = worker.tid.load();
  worker.end();
  for (const i64 until = now_ns() + 20 * kNsPerSecond; g_threads.find(tid) && now_ns() < until;) {
    burn(2 * kNsPerMs);
    recording.natives.tick(now_ns());
  }
  CHECK(g_threads.find(tid) == nullptr);
}

}  // namespace
