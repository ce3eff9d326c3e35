// Gate, guard, merging, sessions: captures as a point makes them.
#include "core/capture.h"

#include <atomic>
#include <thread>

#include "base/clock.h"
#include "core/drain.h"
#include "core/waits.h"
#include "fake_runtime.h"
#include "harness.h"
#include "rows.h"

using namespace btrace;

namespace {

struct Recording {
  Session* session;
  explicit Recording(Config config = {}) {
    session = open_session(config);
    CHECK(session != nullptr);
    activate_session(*session);
  }
  ~Recording() {
    deactivate_session();
    close_session(*session);
  }
};

Config at_once() {
  Config config;
  config.sync_interval_ns = 0;
  config.budget_ppm = 0;
  return config;
}

bool capture(u64 code, bool force = false, SampleKind kind = SampleKind::Allocation) {
  Capture made;
  if (!made.begin(g_threads.mine(), kind, force)) return false;
  made.frames()[0] = {code, 3};
  made.frames()[1] = {7, 1};
  made.commit(2);
  return true;
}

std::vector<Row> rows_of(Session& session, ThreadRecord& record) {
  flush_pending(session, record, 0);
  std::vector<Row> rows(100000);
  rows.resize(record.shard.pop(session.pool, rows.data(), 100000));
  return rows;
}

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
  auto rows = rows_of(*recording.session, *g_threads.mine());
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

TEST("gate: opens again after the interval") {
  Config config;
  config.sync_interval_ns = 2 * kNsPerMs;
  config.budget_ppm = 0;
  Recording recording(config);
  CHECK(capture(1));
  i64 begin = now_ns();
  while (!capture(2)) CHECK(now_ns() - begin < 60 * kNsPerSecond);
  CHECK(now_ns() - begin > kNsPerMs);
}

TEST("gate: the budget widens the interval by what captures cost") {
  Config config;
  config.sync_interval_ns = 0;
  config.budget_ppm = 10;  // a capture of 1 µs may come every 100 ms
  Recording recording(config);
  CHECK(capture(1));
  u64 wait = g_threads.mine()->due_tick.load_relaxed() - tick_now();
  CHECK(wait > ns_to_ticks(g_threads.mine()->mean_cost_ns) * 50000);
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
  announce_wait(*g_threads.mine(), 5, SampleKind::Wait, begin_block());
  CHECK(wants_waker(*g_threads.mine(), 5));
  withdraw_wait(*g_threads.mine());
  std::thread([] {
    for (SampleKind kind : {SampleKind::Allocation, SampleKind::Wait, SampleKind::Sleep, SampleKind::Marker})
      CHECK(!capture(1, true, kind));
    for (SampleKind kind : {SampleKind::Gc, SampleKind::Notify, SampleKind::Unpark}) CHECK(capture(1, true, kind));
    announce_wait(*g_threads.mine(), 5, SampleKind::Wait, begin_block());
    CHECK(!wants_waker(*g_threads.mine(), 5));
  }).join();
}

TEST("waits: one that is told says where most of the time since the one before went into waits that were not") {
  Recording recording;
  CHECK(capture(1));
  ThreadRecord& record = *g_threads.mine();
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
  CHECK(outer.begin(g_threads.mine(), SampleKind::Allocation, false));
  CHECK(!capture(1, true));
  outer.frames()[0] = {1, 0};
  outer.commit(1);
  CHECK(capture(1));
}

TEST("guard: the agent does not wait for a thread that captures itself") {
  Recording recording(at_once());
  ThreadRecord* mine = g_threads.mine();
  Capture outer;
  CHECK(outer.begin(mine, SampleKind::Allocation, false));
  std::thread([&] {
    Capture outside;
    CHECK(!outside.begin_outside(mine, SampleKind::AsyncOutside, now_ns(), tick_now()));
  }).join();
}

TEST("guard: a marker waits for the agent, other captures only look again for a while") {
  Recording recording(at_once());
  ThreadRecord& record = *g_threads.mine();
  record.busy.store(Holder::Agent);
  CHECK(!capture(1, true));
  std::thread agent([&] {
    sys::sleep_ns(2 * kNsPerMs);
    record.busy.store(Holder::Nobody);
  });
  CHECK(capture(2, true, SampleKind::Marker));
  agent.join();
}

TEST("merging: a hundred equal stacks become two rows that count them") {
  Recording recording(at_once());
  for (int i = 0; i < 100; i++) CHECK(capture(5));
  CHECK(capture(6));
  auto rows = rows_of(*recording.session, *g_threads.mine());
  CHECK_EQUAL(rows.size(), 3u);
  CHECK_EQUAL(rows[0].merged, 0u);
  CHECK_EQUAL(rows[1].merged, 98u);
  CHECK(rows[1].time_ns > rows[0].time_ns);
  CHECK(rows[2].stack != rows[1].stack);
}

TEST("merging: rows that carry an object stay apart, and the drain's visits keep the first and the last") {
  Recording recording(at_once());
  for (int i = 0; i < 4; i++) {
    Capture made;
    CHECK(made.begin(g_threads.mine(), SampleKind::Wait, true));
    made.row().object = 9;
    made.frames()[0] = {1, 0};
    made.commit(1);
  }
  CHECK_EQUAL(rows_of(*recording.session, *g_threads.mine()).size(), 4u);
  u32 count = 0, merged = 0;
  for (int visit = 0; visit < 3; visit++) {
    for (int i = 0; i < 10; i++) CHECK(capture(5));
    for (const Row& row : rows_of(*recording.session, *g_threads.mine())) count++, merged += row.merged;
  }
  CHECK_EQUAL(count + merged, 30u);
  CHECK_EQUAL(count, 4u);
}

// The i-th of a chain of equal captures: an interrupt that came late where `overruns` says so.
void capture_in_chain(u32 i, u32 overruns = 0) {
  Capture made;
  CHECK(made.begin(g_threads.mine(), SampleKind::AsyncSelf, false));
  made.row().cpu_ns = i;
  made.row().overruns = overruns;
  made.frames()[0] = {5, 3};
  made.commit(1);
}

TEST("merging: a chain over time is its first and its last row, also where the drain looks before it is old") {
  Recording recording(at_once());
  ThreadRecord& record = *g_threads.mine();
  for (bool drains : {false, true}) {
    for (u32 i = 0; i < 20; i++) {
      capture_in_chain(i);
      sys::sleep_ns(kNsPerMs);
      if (drains) flush_pending(*recording.session, record, 3600 * kNsPerSecond);
    }
    auto rows = rows_of(*recording.session, record);
    CHECK_EQUAL(rows.size(), 2u);
    CHECK_EQUAL(rows[0].cpu_ns, i64{0});
    CHECK_EQUAL(rows[0].merged, 0u);
    CHECK_EQUAL(rows[1].cpu_ns, i64{19});
    CHECK_EQUAL(rows[1].merged, 18u);
    CHECK(rows[1].time_ns - rows[0].time_ns >= 19 * kNsPerMs);
    CHECK(capture(6));  // the end of the chain
    rows_of(*recording.session, record);
  }
}

TEST("merging: a row goes out in time while equal ones go on coming") {
  Recording recording(at_once());
  ThreadRecord& record = *g_threads.mine();
  for (u32 i = 0; i < 20; i++) {
    capture_in_chain(i);
    sys::sleep_ns(kNsPerMs);
    flush_pending(*recording.session, record, 5 * kNsPerMs);
  }
  std::vector<Row> rows(100);
  rows.resize(record.shard.pop(recording.session->pool, rows.data(), 100));
  CHECK(rows.size() >= 3);
  CHECK_EQUAL(captures_in(rows) + captures_in(rows_of(*recording.session, record)), 20u);
}

TEST("merging: late interrupts count with all their intervals, whichever of the rows they are in") {
  Recording recording(at_once());
  for (u32 every = 1; every < 8; every++) {
    u32 intervals = 0;
    for (u32 i = 0; i < 20; i++) {
      const u32 overruns = i % every == 0 ? i + 1 : 0;
      capture_in_chain(i, overruns);
      intervals += 1 + overruns;
      if (i == 12 && every % 2) flush_pending(*recording.session, *g_threads.mine(), 0);
    }
    CHECK_EQUAL(captures_in(rows_of(*recording.session, *g_threads.mine())), intervals);
    CHECK(capture(6));
    rows_of(*recording.session, *g_threads.mine());
  }
}

TEST("merging: a row that has no room is lost with all it stands for, and the next one is a first one again") {
  Recording recording(at_once());
  ThreadRecord& record = *g_threads.mine();
  for (u32 i = 0; i < 5; i++) capture_in_chain(i, i);
  recording.session->full.store(1);
  flush_pending(*recording.session, record, 0);
  recording.session->full.store(0);
  CHECK_EQUAL(record.lost[static_cast<u32>(LossReason::BufferFull)].load_relaxed(), 4 + 1u + 2 + 3 + 4);
  for (u32 i = 5; i < 10; i++) capture_in_chain(i);
  auto rows = rows_of(*recording.session, record);
  CHECK_EQUAL(rows.size(), 3u);
  CHECK_EQUAL(rows[1].cpu_ns, i64{5});
  CHECK_EQUAL(rows[1].merged, 0u);
  CHECK_EQUAL(rows[2].merged, 3u);
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
  auto rows = rows_of(*recording.session, *g_threads.mine());
  CHECK(rows.size() + 2 >= taken);
  CHECK_EQUAL(rows[0].merged, 0u);
}

TEST("deep stacks: a walk buffer holds 4,096 frames") {
  Recording recording(at_once());
  Capture made;
  CHECK(made.begin(g_threads.mine(), SampleKind::Allocation, false));
  for (u32 i = 0; i < WalkBuffer::kFrames; i++) made.frames()[i] = {i + 1, 0};
  u32 node = made.commit(WalkBuffer::kFrames);
  CHECK(node >= WalkBuffer::kFrames);
}

TEST("threads: a record is found by tid, freed at its thread's end and used again") {
  u32 first_slot = 0, second_slot = 0;
  std::thread([&] {
    ThreadRecord* record = g_threads.mine();
    CHECK(record == g_threads.mine() && record == g_threads.find(sys::gettid()));
    first_slot = record->slot;
  }).join();
  // No recording runs: the end of the thread frees it.
  std::thread([&] { second_slot = g_threads.mine()->slot; }).join();
  CHECK_EQUAL(second_slot, first_slot);
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
