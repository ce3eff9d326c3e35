// Threads that are interrupted by their own CPU clocks, and what rows tell of CPU time then.
#include "core/cpu_timers.h"

#include <csignal>
#include <thread>

#include "base/clock.h"
#include "fake_runtime.h"
#include "harness.h"
#include "reads_memory.h"
#include "rows.h"

using namespace btrace;

namespace {

constexpr i64 kInterval = 10 * kNsPerMs;

struct Recording {
  Session* session;
  explicit Recording() {
    Config config;
    config.async_interval_ns = kInterval;
    config.sync_interval_ns = 0;
    config.budget_ppm = 0;
    session = open_session(config);
    CHECK(session != nullptr);
    activate_session(*session);
  }
  ~Recording() {
    deactivate_session();
    close_session(*session);
  }
  std::vector<Row> rows() {
    ThreadRecord& record = *g_threads.current_record();
    flush_pending(*session, record, 0);
    std::vector<Row> rows(10000);
    rows.resize(record.held.shard.pop(session->pool, rows.data(), 10000));
    return rows;
  }
};

// The calling thread, which its CPU clock interrupts until its rows are asked for.
template <class Walks = FakeRuntime>
struct Interrupted {
  Recording recording;
  Walks runtime;
  CpuTimers timers;
  // `here`: what it stands in then, 0 where it cannot be walked.
  explicit Interrupted(u64 here = 0) {
    runtime.here = here;
    CHECK(!timers.start(*recording.session, runtime));
    CHECK(timers.watch(*g_threads.current_record()));
  }
  std::vector<Row> rows() {
    timers.stop();
    return recording.rows();
  }
};

void burn(i64 ns) {
  for (i64 until = own_cpu_ns() + ns; own_cpu_ns() < until;) continue;
}

// A handler that runs at any instruction is more than ThreadSanitizer can follow when it is set behind its back.
#if defined(__SANITIZE_THREAD__)
#define LEAVE_TO_OTHER_BUILDS return
#else
#define LEAVE_TO_OTHER_BUILDS (void)0
#endif

TEST("cpu timers: a thread that runs walks itself, once an interval of its CPU time") {
  LEAVE_TO_OTHER_BUILDS;
  Interrupted thread(77);
  i64 begin = own_cpu_ns();
  burn(200 * kNsPerMs);
  i64 used = own_cpu_ns() - begin;
  const auto rows = thread.rows();
  i64 cpu = 0;
  for (const Row& row : rows) {
    CHECK_EQUAL(row.kind, SampleKind::CpuTimer);
    CHECK(row.cpu_ns > cpu);
    cpu = row.cpu_ns;
  }
  const u32 captures = captures_in(rows);
  // Expiry is looked for at the scheduler's ticks, which are some ms apart; none may come for nothing.
  CHECK(captures >= 5);
  CHECK(captures <= used / kInterval + 1);
}

// As within a system call: no interrupt comes meanwhile, however long it works.
void burn_undisturbed(i64 ns) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  burn(ns);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool stands_for_all_of(i64 cpu_ns, const std::vector<Row>& rows) {
  const i64 over = captures_in(rows) - cpu_ns / kInterval;
  return over >= -1 && over <= 1;
}

TEST("cpu timers: one interrupt stands for all intervals that ended before it could come") {
  LEAVE_TO_OTHER_BUILDS;
  Interrupted thread(77);
  i64 begin = own_cpu_ns();
  for (int i = 0; i < 5; i++) burn_undisturbed(50 * kNsPerMs);
  i64 used = own_cpu_ns() - begin;
  CHECK(stands_for_all_of(used, thread.rows()));
}

TEST("cpu timers: what was due and not walked stands with the next interrupt") {
  LEAVE_TO_OTHER_BUILDS;
  Interrupted thread;
  i64 begin = own_cpu_ns();
  for (int i = 0; i < 3; i++) burn_undisturbed(50 * kNsPerMs);
  thread.runtime.here = 77;
  burn_undisturbed(50 * kNsPerMs);
  i64 used = own_cpu_ns() - begin;
  CHECK(stands_for_all_of(used, thread.rows()));
}

TEST("cpu timers: below a native method stands where in which image the thread was") {
  LEAVE_TO_OTHER_BUILDS;
  Interrupted thread(77);
  thread.runtime.here_native = true;
  volatile u32 rounds = 0;
  for (i64 until = own_cpu_ns() + 200 * kNsPerMs; own_cpu_ns() < until;)
    for (u32 i = 0; i < 100'000; i++) rounds = rounds + 1;
  const auto rows = thread.rows();
  Session& session = *thread.recording.session;
  u32 here = session.images.find(reinterpret_cast<uintptr_t>(&burn));
  CHECK(here != Images::kNone);
  u32 ours = 0;
  for (const Row& row : rows) {
    Node node = session.stacks.at(row.stack);
    if (!node.is_native() || node.image() != here) continue;
    ours += row.stands_for();
    CHECK_EQUAL(session.stacks.at(node.parent).code, u64{77});
    const Image& image = session.images.at(here);
    CHECK(image.base + node.code >= image.begin && image.base + node.code < image.end);
  }
  CHECK(ours >= 3);
}

// What a native method calls, and what that calls.
__attribute__((noinline)) u32 callee(u32 seed) {
  for (u32 i = 0; i < 100'000; i++) seed = seed * 1664525u ^ seed >> 7;
  return seed;
}

__attribute__((noinline)) u32 caller(FakeRuntime& runtime, u32 seed) {
  runtime.managed = reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa());
  for (i64 until = own_cpu_ns() + 300 * kNsPerMs; own_cpu_ns() < until;)
    for (u32 i = 0; i < 10; i++) seed = callee(seed) + 1;
  runtime.managed = 0;
  return seed;
}

TEST("cpu timers: below a native method stand all functions between it and where the thread was") {
  LEAVE_TO_OTHER_BUILDS;
  if (!reads_memory()) return;
  Interrupted thread(77);
  ThreadRecord& record = *g_threads.current_record();
  // Wide enough for the test's own frames, which are all that is looked at.
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  record.stack_begin.store(here - (1 << 20));
  record.stack_end.store(here + sizeof here);
  thread.runtime.here_native = true;
  volatile u32 result = caller(thread.runtime, 1);
  (void)result;
  thread.runtime.here_native = false;
  const auto rows = thread.rows();
  record.stack_begin.store(0);
  record.stack_end.store(0);
  Session& session = *thread.recording.session;
  const auto is_in = [&](const Node& node, auto* function) {
    constexpr u64 kLongest = 2048;  // a function here
    return session.images.at(node.image()).base + node.code - reinterpret_cast<u64>(function) < kLongest;
  };
  u32 both = 0;
  for (const Row& row : rows) {
    const Node node = session.stacks.at(row.stack);
    if (!node.is_native() || !is_in(node, &callee)) continue;
    const Node above = session.stacks.at(node.parent);
    if (!above.is_native()) continue;
    CHECK(is_in(above, &caller));
    CHECK_EQUAL(session.stacks.at(above.parent).code, u64{77});
    both += row.stands_for();
  }
  CHECK(both >= 3);
}

TEST("cpu timers: a thread that sleeps is not interrupted") {
  LEAVE_TO_OTHER_BUILDS;
  Interrupted thread(77);
  sys::Timespec t{0, 100 * kNsPerMs};
  CHECK_EQUAL(sys::call(sys::kNanosleep, reinterpret_cast<long>(&t)), 0L);  // no EINTR
  CHECK(thread.rows().empty());
}

TEST("cpu timers: a thread that cannot be walked in the handler is due for the sampler") {
  LEAVE_TO_OTHER_BUILDS;
  Interrupted thread;
  burn(100 * kNsPerMs);
  CHECK_EQUAL(thread.timers.take_due(), g_threads.current_record());
  CHECK(!thread.timers.take_due());
  CHECK(thread.rows().empty());
}

// Whose handler waits for the test before it says that the thread cannot be walked, as one does that is not on a core.
struct LateRuntime final : FakeRuntime {
  Atomic<ThreadRecord*> waits{}, goes_on{};
  i32 walk_here(ThreadRecord& record, void*, Frame*, u32, WalkNotes&) override {
    waits.store(&record);
    while (goes_on.load() != &record) continue;
    return -1;
  }
};

// A thread that works until it is told to end.
struct Worker {
  Atomic<ThreadRecord*> record{};
  Atomic<u32> rounds{}, ends{};
  std::thread thread;
  Worker() {
    thread = std::thread([this] {
      record.store(g_threads.current_record());
      while (!ends.load()) rounds.add(1);
    });
    while (!record.load()) continue;
  }
  ~Worker() {
    ends.store(1);
    thread.join();
  }
  // It is out of the handler that it was in.
  void comes_out() {
    for (const u32 before = rounds.load(); rounds.load() == before;) continue;
  }
};

// Those of no thread: with them a page of records is free as a whole, and is emptied.
struct UnusedRecords {
  static constexpr u32 kCount = 2 * ThreadRegistry::kSlabRecords;
  ThreadRecord* records[kCount];
  explicit UnusedRecords(u32 first_tid) {
    for (u32 i = 0; i < kCount; i++) records[i] = g_threads.obtain(first_tid + i);
  }
  void let_go() {
    for (ThreadRecord* record : records) g_threads.release(*record);
  }
};

TEST("cpu timers: signals that come after a recording's end leave nobody out of the next one") {
  LEAVE_TO_OTHER_BUILDS;
  // No threads of this process have such ids.
  UnusedRecords before(1u << 29);
  Worker stays;
  auto* goes = new Worker;
  UnusedRecords after((1u << 29) + UnusedRecords::kCount);
  ThreadRecord* gone = goes->record.load();
  gone->held.mean_cost_ns = 77;
  {
    Recording recording;
    LateRuntime runtime;
    CpuTimers timers;
    CHECK(!timers.start(*recording.session, runtime));
    const auto interrupt = [&](ThreadRecord* record) {
      CHECK(timers.watch(*record));
      while (runtime.waits.load() != record) continue;
    };
    interrupt(stays.record.load());
    interrupt(gone);
    timers.stop();
    // In this order the one that goes was put in last.
    runtime.goes_on.store(stays.record.load());
    stays.comes_out();
    runtime.goes_on.store(gone);
    goes->comes_out();
    delete goes;
    // As at a session's end, but for those that other tests need.
    g_threads.release(*gone);
    before.let_go();
    after.let_go();
    g_threads.empty_free();
    CHECK_EQUAL(gone->held.mean_cost_ns, 0u);
  }
  Recording next;
  FakeRuntime runtime;
  CpuTimers timers;
  CHECK(!timers.start(*next.session, runtime));
  // Nothing of this one has been due yet.
  CHECK(!timers.take_due());
  CHECK(timers.watch(*stays.record.load()));
  bool was_due = false;
  const auto cpu_of_it = [&] { return thread_cpu_ns(stays.record.load()->tid.load()); };
  for (const i64 until = cpu_of_it() + kNsPerSecond; !was_due && cpu_of_it() < until;)
    while (ThreadRecord* record = timers.take_due()) was_due |= record == stays.record.load();
  timers.stop();
  CHECK(was_due);
}

volatile int g_theirs;
void their_handler(int) {
  g_theirs = g_theirs + 1;
}

TEST("cpu timers: another profiler's SIGPROF is left to it, and all is as it was afterwards") {
  LEAVE_TO_OTHER_BUILDS;
  Recording recording;
  FakeRuntime runtime;
  runtime.here = 77;
  struct sigaction theirs{}, before{}, now{};
  theirs.sa_handler = their_handler;
  sigaction(SIGPROF, &theirs, &before);
  CpuTimers timers;
  CHECK(!timers.start(*recording.session, runtime));
  CHECK(timers.watch(*g_threads.current_record()));
  burn(60 * kNsPerMs);
  g_theirs = 0;
  raise(SIGPROF);
  CHECK_EQUAL(static_cast<int>(g_theirs), 1);
  timers.stop();
  CHECK(!recording.rows().empty());
  sigaction(SIGPROF, &before, &now);
  CHECK(now.sa_handler == their_handler);
  for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
    sigaction(number, nullptr, &now);
    CHECK(now.sa_handler == SIG_DFL);
  }
}

TEST("cpu timers: who takes the signal later keeps it") {
  LEAVE_TO_OTHER_BUILDS;
  Recording recording;
  FakeRuntime runtime;
  CpuTimers timers;
  CHECK(!timers.start(*recording.session, runtime));
  CHECK(timers.still_ours());
  struct sigaction theirs{}, ours{}, now{};
  theirs.sa_handler = their_handler;
  sigaction(SIGPROF, &theirs, &ours);
  CHECK(!timers.still_ours());
  timers.stop();
  theirs.sa_handler = SIG_DFL;
  sigaction(SIGPROF, &theirs, &now);
  CHECK(now.sa_handler == their_handler);
}

// ---------------------------------------------------------------- what rows tell

void row(SampleKind kind, i64 cpu, i64 waited = 0, i64 bytes = 0) {
  Capture capture;
  CHECK(capture.begin(g_threads.current_record(), kind, true));
  capture.row().cpu_ns = cpu;
  capture.row().allocated_bytes = static_cast<u64>(bytes);
  capture.row().counters = kCounterCpu | kCounterAllocatedBytes;
  capture.row().duration_ns = waited;
  capture.row().object = 1;  // rows stay apart
  capture.frames()[0] = {1, 1};
  capture.commit(1);
}

TEST("cpu timers: rows tell the thread's clock, whatever was seen, and that it is interrupted by it") {
  Recording recording;
  recording.session->has_timers.store(1);
  row(SampleKind::Allocation, 1000000, 0, 100);
  row(SampleKind::Sleep, 1500000, 50, 200);
  row(SampleKind::Sleep, 9500000, 50, 900);
  recording.session->has_timers.store(0);  // another profiler has taken the signal
  row(SampleKind::Sleep, 9600000, 50, 1000);
  auto rows = recording.rows();
  CHECK_EQUAL(rows.size(), 4u);
  CHECK_EQUAL(rows[1].cpu_ns, 1500000);
  CHECK_EQUAL(rows[2].cpu_ns, 9500000);
  CHECK_EQUAL(rows[2].allocated_bytes, 900u);
  for (int at : {0, 1, 2}) CHECK(rows[at].counters & kCounterCpuTimed);
  CHECK(!(rows[3].counters & kCounterCpuTimed));
}

TEST("cpu timers: two virtual threads in the same stack are never one row") {
  LEAVE_TO_OTHER_BUILDS;
  Interrupted thread(77);
  thread.runtime.loop_message = 31;
  burn(100 * kNsPerMs);
  thread.runtime.loop_message = 32;
  burn(100 * kNsPerMs);
  u32 changes = 0, before = 31;
  for (const Row& row : thread.rows()) {
    CHECK(row.loop_message == 31 || row.loop_message == 32);
    // The first of the second one stands for itself.
    if (row.loop_message != before) CHECK_EQUAL(row.merged, 0u);
    changes += row.loop_message != before;
    before = row.loop_message;
  }
  CHECK_EQUAL(changes, 1u);
}

// One whose own walk says only who it is.
struct ProvisionalRuntime final : FakeRuntime {
  i32 walk_here(ThreadRecord&, void*, Frame* frames, u32, WalkNotes& notes) override {
    frames[0] = {1, -1};
    notes.loop_message = 31;
    notes.provisional = true;
    return 1;
  }
};

TEST("cpu timers: a row that only knows whose it is gets the stack of a walk that comes in time") {
  LEAVE_TO_OTHER_BUILDS;
  Interrupted<ProvisionalRuntime> thread;
  ThreadRecord& record = *g_threads.current_record();
  Session& session = *thread.recording.session;
  i64 begin = own_cpu_ns();
  auto interrupted = [&]() -> i64 {
    for (;;) {
      if (thread.timers.take_due()) return record.timer.provisional_ns.exchange(0);
      CHECK(own_cpu_ns() - begin < kNsPerSecond);
    }
  };
  const Frame walked[] = {{77, 5}};
  i64 first = interrupted();
  complete_pending(session, record, first, {0, walked, 1, 31, kFlagAtWork});
  // Another virtual thread runs by the time it is walked.
  i64 second = interrupted();
  complete_pending(session, record, second, {0, walked, 1, 32, kFlagAtWork});
  i64 third = interrupted();
  // Nor is a stack given to a row that is the newest no more.
  complete_pending(session, record, second, {0, walked, 1, 31, kFlagAtWork});
  u32 whole = 0;
  for (const Row& row : thread.rows()) {
    CHECK_EQUAL(row.loop_message, 31u);
    bool is_first = row.time_ns == first;
    CHECK_EQUAL(row.kind, is_first ? SampleKind::ExternalSampler : SampleKind::CpuTimer);
    CHECK_EQUAL(row.flags & kFlagAtWork, is_first ? kFlagAtWork : 0);
    whole += is_first;
  }
  CHECK_EQUAL(whole, 1u);
  CHECK(third > second);
}

}  // namespace
