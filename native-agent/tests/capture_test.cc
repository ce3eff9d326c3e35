// Gate, guard, sessions: captures as a point makes them.
#include "core/capture.h"

#include <atomic>
#include <thread>

#include "base/clock.h"
#include "captures.h"
#include "core/drain.h"
#include "core/kernel_counters.h"
#include "core/waits.h"
#include "fake_runtime.h"
#include "harness.h"

using namespace btrace;

namespace {

TEST("session: room for walks and links is in what it holds") {
  Recording recording;
  const u64 held = held_bytes(*recording.session);
  CHECK(held >= Session::kWalkBuffers * sizeof(WalkBuffer) + sizeof(LinkRing) + sizeof(Session));
}

TEST("gate: one capture in the interval, and one more when forced") {
  Config config;
  config.sync_interval_ns = 3600 * kNsPerSecond;
  config.budget_ppm = 0;
  Recording recording(config);
  CHECK(capture(1));
  for (int i = 0; i < 100; i++) CHECK(!capture(1));
  CHECK(capture(2, true));
  auto rows = rows_of(*recording.session, *g_threads.current_record());
  CHECK_EQUAL(rows.size(), 2u);
  CHECK_EQUAL(rows[1].flags & kFlagForced, i64{kFlagForced});
}

TEST("gate: forced captures leave it as it is, so that a thread that waits often is seen working too") {
  Config config;
  config.sync_interval_ns = 3600 * kNsPerSecond;
  config.budget_ppm = 0;
  Recording recording(config);
  for (int i = 0; i < 10; i++) CHECK(capture(1, true, SampleKind::Sleep));
  CHECK(capture(2));
  CHECK(!capture(2));
}

TEST("gate: clock reads have an interval of their own, and are not captured where the gate is closed") {
  Config config;
  config.sync_interval_ns = 3600 * kNsPerSecond;
  config.budget_ppm = 0;
  Recording recording(config);
  CHECK(capture(1, false, SampleKind::ClockRead));
  CHECK(!read_is_due(*g_threads.current_record()));
  CHECK(capture(2));
  CHECK(!capture(3, false, SampleKind::ClockRead));
}

TEST("gate: opens again after the interval") {
  Config config;
  config.sync_interval_ns = 2 * kNsPerMs;
  config.budget_ppm = 0;
  Recording recording(config);
  i64 begin = now_ns();
  CHECK(capture(1));
  while (!capture(2)) CHECK(now_ns() - begin < 60 * kNsPerSecond);
  CHECK(now_ns() - begin > kNsPerMs);
}

TEST("gate: the budget widens the interval by what captures cost") {
  Config config;
  config.sync_interval_ns = 0;
  config.budget_ppm = 10;  // a capture of 1 µs may come every 100 ms
  Recording recording(config);
  const u64 before = tick_now();  // not after it: a busy machine may go on only when the gate is open again
  CHECK(capture(1));
  u64 wait = g_threads.current_record()->held.due_tick.load_relaxed() - before;
  CHECK(wait > ns_to_ticks(g_threads.current_record()->held.mean_cost_ns) * 50000);
}

// One that reads the thread's clocks as points do, and lasts.
template <class Meanwhile>
u64 cost_of_capture(Session& session, Meanwhile meanwhile) {
  const CostHistogram& costs = session.costs[static_cast<u32>(SampleKind::Allocation)];
  const u64 before = costs.total_ns.load();
  Capture made;
  CHECK(made.begin(g_threads.current_record(), SampleKind::Allocation, true));
  read_kernel_counters(made.row(), *g_threads.current_record());
  meanwhile();
  made.frames()[0] = {1, 3};
  made.commit(1);
  return costs.total_ns.load() - before;
}

TEST("cost: a capture that was kept from running counts with its CPU time, and in the histogram with how long it took") {
  Recording recording(at_once());
  for (int i = 0; i < 20; i++) cost_of_capture(*recording.session, [] {});
  CHECK(cost_of_capture(*recording.session, [] { sys::sleep_ns(40 * kNsPerMs); }) < 10 * kNsPerMs);
  u64 long_ones = 0;
  const CostHistogram& costs = recording.session->costs[static_cast<u32>(SampleKind::Allocation)];
  for (u32 i = 25; i < CostHistogram::kBuckets; i++) long_ones += costs.buckets[i].load();  // 33 ms and more
  CHECK(long_ones >= 1);
}

TEST("cost: a capture that takes long on the processor counts in full") {
  Recording recording(at_once());
  for (int i = 0; i < 20; i++) cost_of_capture(*recording.session, [] {});
  const u64 cost = cost_of_capture(*recording.session, [] {
    for (const i64 until = own_cpu_ns() + 5 * kNsPerMs; own_cpu_ns() < until;) continue;
  });
  CHECK(cost >= 5 * kNsPerMs);
  CHECK(cost < 10 * kNsPerMs);
}

TEST("gate: a kind that was not asked for is not captured, nor is anything without a session") {
  {
    Config config = at_once();
    config.kinds = 1ull << static_cast<u32>(SampleKind::Park);
    Recording recording(config);
    CHECK(!capture(1));
    CHECK(capture(1, false, SampleKind::Park));
  }
  CHECK(!capture(1));
  CHECK(!capture(1, true));
}

TEST("gate: where the main thread alone is asked for, others tell only what holds it up") {
  Config config = at_once();
  config.main_only = true;
  Recording recording(config);
  CHECK(capture(1));
  publish_wait_for(*g_threads.current_record(), 5, SampleKind::Wait, begin_wait());
  CHECK(is_waiting_for(*g_threads.current_record(), 5));
  withdraw_wait_for(*g_threads.current_record());
  std::thread([] {
    for (SampleKind kind : {SampleKind::Allocation, SampleKind::Wait, SampleKind::Sleep, SampleKind::Marker})
      CHECK(!capture(1, true, kind));
    for (SampleKind kind : {SampleKind::Gc, SampleKind::Notify, SampleKind::Unpark}) CHECK(capture(1, true, kind));
    publish_wait_for(*g_threads.current_record(), 5, SampleKind::Wait, begin_wait());
    CHECK(!is_waiting_for(*g_threads.current_record(), 5));
  }).join();
}

TEST("waits: one that is told says where most of the time since the one before went into waits that were not") {
  Recording recording;
  CHECK(capture(1));
  ThreadRecord& record = *g_threads.current_record();
  CHECK_EQUAL(waited_before(record, 1000, 2000), u16{0});
  leave_out_wait(record, 400);
  CHECK_EQUAL(waited_before(record, 3000, 4000), u16{0});
  leave_out_wait(record, 300);
  leave_out_wait(record, 300);
  CHECK_EQUAL(waited_before(record, 5000, 6000), u16{kFlagWaitedBefore});
  CHECK_EQUAL(waited_before(record, 7000, 8000), u16{0});
}

TEST("guard: a capture within a capture is refused, forced or not") {
  Recording recording(at_once());
  Capture outer;
  CHECK(outer.begin(g_threads.current_record(), SampleKind::Allocation, false));
  CHECK(!capture(1, true));
  outer.frames()[0] = {1, 0};
  outer.commit(1);
  CHECK(capture(1));
}

TEST("guard: the agent does not wait for a thread that captures itself") {
  Recording recording(at_once());
  ThreadRecord* mine = g_threads.current_record();
  Capture outer;
  CHECK(outer.begin(mine, SampleKind::Allocation, false));
  std::thread([&] {
    Capture external_walk;
    CHECK(!external_walk.begin_for_other_thread(mine, SampleKind::ExternalSampler, now_ns(), tick_now(), {}));
  }).join();
}

TEST("guard: a marker waits for the agent, other captures only look again for a while") {
  Recording recording(at_once());
  ThreadRecord& record = *g_threads.current_record();
  record.busy.store(Holder::Agent);
  CHECK(!capture(1, true));
  // On a busy machine the agent may get no processor for longer than the marker waits.
  constexpr int kTurns = 50;
  bool is_captured = false;
  for (int turn = 0; turn < kTurns && !is_captured; turn++) {
    record.busy.store(Holder::Agent);
    std::thread agent([&] {
      sys::sleep_ns(2 * kNsPerMs);
      record.busy.store(Holder::Nobody);
    });
    is_captured = capture(2, true, SampleKind::Marker);
    agent.join();
  }
  CHECK(is_captured);
}

TEST("stop when full: what came first is kept, the rest is counted") {
  Config config = at_once();
  config.memory_bytes = 2 * kMiB;
  config.policy = Policy::StopWhenFull;
  Recording recording(config);
  u32 taken = 0;
  while (!recording.session->full.load_relaxed() && capture(taken % 2 + 1)) taken++;
  CHECK(recording.session->full.load_relaxed());
  CHECK(!capture(1));
  auto rows = rows_of(*recording.session, *g_threads.current_record());
  CHECK(rows.size() + 2 >= taken);
  CHECK_EQUAL(rows[0].merged, 0u);
}

TEST("deep stacks: a walk buffer holds 4,096 frames") {
  Recording recording(at_once());
  Capture made;
  CHECK(made.begin(g_threads.current_record(), SampleKind::Allocation, false));
  for (u32 i = 0; i < WalkBuffer::kFrames; i++) made.frames()[i] = {i + 1, 0};
  u32 node = made.node_of(WalkBuffer::kFrames);
  made.commit_node(node);
  CHECK(node >= WalkBuffer::kFrames);
}

struct Counted {
  u64 samples = 0;  // rows and what was merged into them
  u64 lost = 0;
};

Counted count_chunks(const Bytes& out) {
  Counted counted;
  const u8* at = out.data();
  size_t left = out.size();
  ChunkView chunk{};
  size_t used = 0;
  for (; left && parse_chunk(at, left, chunk, used) == ChunkResult::Complete; at += used, left -= used) {
    FieldReader entries(chunk.payload, chunk.size);
    while (entries.next()) {
      FieldReader field(entries.bytes(), entries.is_bytes() ? entries.size() : 0);
      while (field.next()) {
        if (chunk.kind == ChunkKind::Losses && field.field() == 4) counted.lost += field.value();
        if (chunk.kind != ChunkKind::Samples) continue;
        if (field.field() == 2) counted.samples += field.value();
        if (field.field() != 22) continue;
        const u8* entry = field.bytes();
        const u8* end = entry + field.size();
        for (u64 value; entry != end && get_varint(entry, end, value);) {
          counted.samples += static_cast<u64>(unzigzag(value));
          if (value == 0) get_varint(entry, end, value);
        }
      }
    }
  }
  CHECK_EQUAL(left, size_t{0});
  return counted;
}

TEST("stress: threads come and go while the drain is slow, and every sample is drained or counted as lost") {
  Config config = at_once();
  config.memory_bytes = 2 * kMiB;
  Recording recording(config);
  FakeRuntime runtime;
  Drain drain;
  CHECK(drain.init(*recording.session, runtime));
  std::atomic<u64> committed{0};
  std::atomic<bool> done{false};
  Counted total;
  Bytes out;
  auto drain_once = [&](i64 age_ns) {
    drain.flush(age_ns);
    bool more = drain.cut_samples(out);
    drain.cut_losses(out, true);
    drain.retire_threads(out);
    Counted counted = count_chunks(out);
    total.samples += counted.samples;
    total.lost += counted.lost;
    out.clear();
    return more;
  };
  std::thread drainer([&] {
    // The pool holds some 7,600 rows: by each visit of this drain it has overflowed.
    for (u64 next = 15000; !done; next += 15000) {
      while (!done && committed < next) std::this_thread::yield();
      drain_once(0);
    }
  });
  for (int wave = 0; wave < 3; wave++) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 16; t++)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 1500; i++)
          if (capture(1 + (t * 31 + i / 3) % 200)) committed++;
      });
    for (auto& thread : threads) thread.join();
  }
  done = true;
  drainer.join();
  while (drain_once(0)) {
  }
  drain_once(0);
  CHECK(total.lost > 0);
  CHECK(total.samples <= committed);
  // A capture that met the agent at its record is counted as lost without having been committed.
  CHECK(total.samples + total.lost >= committed);
  out.release();
  drain.release();
}

TEST("hook health: what is said of a hook that is in holds when it is out, if nothing else is said then") {
  Recording recording;
  Session& session = *recording.session;
  const char* why = "samples less than was asked for";
  session.report_hook("hook", HookState::Installed);
  session.report_hook("hook", HookState::Removed);
  CHECK(session.hooks[0].why == nullptr);
  session.report_hook("hook", HookState::Installed, why);
  session.report_hook("hook", HookState::Removed);
  CHECK_EQUAL(session.hook_count, 1u);
  CHECK_EQUAL(session.hook_state("hook"), HookState::Removed);
  CHECK(session.hooks[0].why == why);
}

TEST("sessions: a hundred starts and stops under fire leave nothing behind") {
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  std::atomic<u64> captured{0};
  for (int t = 0; t < 4; t++)
    threads.emplace_back([&] {
      for (u64 i = 0; !done; i++)
        if (capture(i % 50)) captured++;
    });
  const char* asked = getenv("BTRACE_CYCLES");
  for (int cycle = 0, cycles = asked ? atoi(asked) : 100; cycle < cycles; cycle++) {
    Recording recording(at_once());
    u64 before = captured;
    while (captured < before + 50) std::this_thread::yield();
  }
  done = true;
  for (auto& thread : threads) thread.join();
  CHECK(captured >= 5000);
}

}  // namespace

TEST("threads: one that begins and ends has rows at its entry, with all that it used, beside what it captured") {
  Recording recording(at_once());
  constexpr u64 kEntry = 77;
  const auto run = [&](bool captures, i64 ns) {
    std::vector<Row> rows;
    std::thread([&] {
      ThreadRecord& record = *g_threads.current_record();
      record.begin_ns.store(now_ns());
      begin_thread(*recording.session, record, kEntry);
      for (const i64 until = own_cpu_ns() + ns; own_cpu_ns() < until;) continue;
      if (captures) CHECK(capture(1));
      for (const i64 until = own_cpu_ns() + ns; own_cpu_ns() < until;) continue;
      Capture end;
      end.tell_end(&record, {kEntry, -1});
      rows = rows_of(*recording.session, record);
      for (const Row& row : rows) {
        const bool is_own = row.kind == SampleKind::Allocation;
        CHECK_EQUAL(recording.session->stacks.at(row.stack).code, is_own ? u64{1} : kEntry);
      }
    }).join();
    return rows;
  };
  for (bool captures : {false, true}) {
    const std::vector<Row> rows = run(captures, kNsPerMs);
    CHECK_EQUAL(rows.size(), captures ? 3u : 2u);
    CHECK_EQUAL(rows.front().cpu_ns, 0);
    CHECK(rows.back().cpu_ns >= 2 * kNsPerMs);
    for (size_t at = 1; at < rows.size(); at++) CHECK(rows[at].time_ns > rows[at - 1].time_ns);
  }
}

TEST("threads: one that was there before the recording has no row at its end if it has no other") {
  Recording recording(at_once());
  Capture end;
  end.tell_end(g_threads.current_record(), {77, -1});
  CHECK_EQUAL(rows_of(*recording.session, *g_threads.current_record()).size(), 0u);
}
