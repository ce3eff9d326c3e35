// Waits of virtual threads: who is out, what becomes a row, what it may cost.
#include "core/off_carrier_waits.h"

#include <map>
#include <thread>

#include "base/clock.h"
#include "core/drain.h"
#include "fake_runtime.h"
#include "harness.h"

using namespace btrace;

namespace {

TEST("open waits: what is put in is taken out once, others stay") {
  OffCarrierTable waits{};
  CHECK(waits.init(1 << 20));
  for (u64 id = 30; id < 5030; id++) CHECK(waits.put(id, {static_cast<i64>(id) * 10, static_cast<u32>(id), 1}));
  OffCarrierWait wait{};
  CHECK(!waits.take(29, wait));
  for (u64 id = 30; id < 5030; id += 2) {
    CHECK(waits.take(id, wait));
    CHECK_EQUAL(wait.begin_ns, static_cast<i64>(id) * 10);
    CHECK_EQUAL(wait.stack, static_cast<u32>(id));
    CHECK(!waits.take(id, wait));
  }
  std::map<u64, i64> left;
  u64 id = 0;
  for (u32 at = 0; waits.next(at, id, wait);) CHECK(left.emplace(id, wait.begin_ns).second);
  CHECK_EQUAL(left.size(), size_t{2500});
  for (auto [one, begin] : left) CHECK(one % 2 == 1 && begin == static_cast<i64>(one) * 10);
  waits.release();
}

TEST("open waits: a full table says so and keeps what it has") {
  OffCarrierTable waits{};
  CHECK(waits.init(0));
  u64 kept = 0;
  for (u64 id = 1; id <= 100000; id++) kept += waits.put(id, {7, 0, 0});
  CHECK(kept > 512 && kept <= 1024);
  CHECK(waits.bytes() < 32 * 1024);
  OffCarrierWait wait{};
  u64 found = 0;
  for (u64 id = 1; id <= 100000; id++) found += waits.take(id, wait);
  CHECK_EQUAL(found, kept);
  waits.release();
}

TEST("open waits: after a restart nothing of before is known, and not everybody was seen") {
  OffCarrierTable waits{};
  CHECK(waits.init(1 << 16));
  waits.restart(100);
  CHECK(waits.complete());
  CHECK(waits.put(5, {150, 0, 0}));
  waits.restart(200);
  CHECK(!waits.complete());
  OffCarrierWait wait{};
  CHECK(!waits.take(5, wait));
  // One that came in late, from before.
  CHECK(waits.put(6, {199, 0, 0}));
  CHECK(!waits.take(6, wait));
  waits.release();
}

TEST("open waits: threads that hand ids to each other lose none") {
  OffCarrierTable waits{};
  CHECK(waits.init(1 << 20));
  std::vector<std::thread> threads;
  Atomic<u64> wrong{};
  for (u64 part = 0; part < 4; part++)
    threads.emplace_back([&, part] {
      OffCarrierWait wait{};
      for (u64 round = 1; round < 20000; round++) {
        u64 id = 1 + part * 64 + round % 64;
        if (!waits.put(id, {static_cast<i64>(round), static_cast<u32>(id), 0}) || !waits.take(id, wait) ||
            wait.begin_ns != static_cast<i64>(round) || wait.stack != id)
          wrong.add(1);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK_EQUAL(wrong.load(), u64{0});
  waits.release();
}

u64 g_standing = 0;  // the one frame of whoever is walked; 0: it has none
u32 g_walks = 0;

i32 walk(Frame* frames, u32, u16&) {
  g_walks++;
  frames[0] = {g_standing, 3};
  return g_standing ? 1 : -1;
}

struct Recording {
  Session* session;
  ThreadRecord& record;
  explicit Recording(Config config) : session(open_session(config)), record(*g_threads.current_record()) {
    CHECK(session && session->off_carrier_waits.init(1 << 16));
    session->off_carrier_waits.restart(now_ns());
    session->first_new_id.store(1000);
    activate_session(*session);
    g_standing = 77;
    g_walks = 0;
  }
  ~Recording() {
    deactivate_session();
    close_session(*session);
  }
  std::vector<Row> rows() {
    std::vector<Row> found(1000);
    found.resize(record.held.shard.pop(session->pool, found.data(), 1000));
    return found;
  }
};

void sleep_ms(i64 ms) {
  for (i64 until = now_ns() + ms * kNsPerMs; now_ns() < until;) sys::sleep_ns(kNsPerMs / 4);
}

TEST("virtual waits: one that lasts gives a row of its own, a short one none") {
  Recording recording{Config{}};
  i64 before = now_ns();
  virtual_thread_leaves(recording.record, 5000, walk);
  sleep_ms(3);
  virtual_thread_comes_back(recording.record, 5000, walk);
  i64 lasted = now_ns() - before;
  CHECK_EQUAL(g_walks, 1u);  // it stands where it stood
  virtual_thread_leaves(recording.record, 5000, walk);
  virtual_thread_comes_back(recording.record, 5000, walk);
  auto rows = recording.rows();
  // The second one may have been interrupted for long.
  CHECK(rows.size() == 1 || rows.size() == 2);
  CHECK(rows[0].kind == SampleKind::OffCarrierWait);
  CHECK_EQUAL(rows[0].loop_message, 5000u);
  CHECK(rows[0].duration_ns >= 3 * kNsPerMs && rows[0].duration_ns <= lasted);
  CHECK_EQUAL(recording.session->stacks.at(rows[0].stack).code, u64{77});
  CHECK_EQUAL(rows[0].flags, u16{0});
}

TEST("virtual waits: one that was there before has waited since then, a new one and an ended one have not") {
  Recording recording{Config{}};
  sleep_ms(2);
  virtual_thread_comes_back(recording.record, 400, walk);
  virtual_thread_comes_back(recording.record, 4000, walk);
  virtual_thread_leaves(recording.record, 4000, walk);
  virtual_thread_ends(recording.record, 4000);
  u32 at = 0;
  u64 id = 0;
  OffCarrierWait wait{};
  CHECK(!recording.session->off_carrier_waits.next(at, id, wait));
  auto rows = recording.rows();
  CHECK_EQUAL(rows.size(), size_t{1});
  CHECK_EQUAL(rows[0].loop_message, 400u);
  CHECK_EQUAL(rows[0].flags, u16{kFlagFromBefore});
  CHECK(rows[0].duration_ns >= 2 * kNsPerMs);
}

TEST("virtual waits: a thread that cannot be walked keeps its times") {
  Recording recording{Config{}};
  g_standing = 0;
  virtual_thread_leaves(recording.record, 5000, walk);
  sleep_ms(2);
  virtual_thread_comes_back(recording.record, 5000, walk);
  auto rows = recording.rows();
  CHECK_EQUAL(rows.size(), size_t{1});
  CHECK_EQUAL(rows[0].stack, 0u);
  CHECK_EQUAL(rows[0].flags, u16{kFlagWalkFailed});
}

TEST("virtual waits: what the budget has no room for is counted with the next one") {
  Config config;
  config.budget_ppm = 1;
  Recording recording(config);
  for (u64 id = 2000; id < 2010; id++) virtual_thread_leaves(recording.record, id, walk);
  sleep_ms(2);
  for (u64 id = 2000; id < 2010; id++) virtual_thread_comes_back(recording.record, id, walk);
  u32 captured = static_cast<u32>(recording.rows().size());
  CHECK(captured < 10);
  CHECK_EQUAL(recording.record.own.waits_left_out, 10 - captured);
  CHECK(recording.record.own.waits_left_out_ns >= static_cast<u64>((10 - captured) * 2 * kNsPerMs));
  u32 left_out = recording.record.own.waits_left_out;
  recording.record.own.waits_paid_tick = 0;
  virtual_thread_leaves(recording.record, 3000, walk);
  recording.record.own.waits_paid_tick = 0;
  sleep_ms(2);
  virtual_thread_comes_back(recording.record, 3000, walk);
  auto rows = recording.rows();
  CHECK_EQUAL(rows.size(), size_t{1});
  CHECK_EQUAL(rows[0].peer, left_out);
  CHECK_EQUAL(recording.record.own.waits_left_out, 0u);
}

struct Seen {
  std::vector<std::vector<i64>> columns = std::vector<std::vector<i64>>(9);
  u32 samples = 0;
  std::vector<ChunkKind> kinds;

  explicit Seen(Bytes& out) {
    const u8* at = out.data();
    size_t left = out.size();
    ChunkView chunk{};
    for (size_t used; left && parse_chunk(at, left, chunk, used) == ChunkResult::Complete; at += used, left -= used) {
      kinds.push_back(chunk.kind);
      FieldReader field(chunk.payload, chunk.size);
      while (field.next()) {
        if (chunk.kind == ChunkKind::Samples) samples++;
        if (chunk.kind != ChunkKind::OffCarrierWaits) continue;
        const u8* entry = field.bytes();
        for (u64 value;
             entry != field.bytes() + field.size() && get_varint(entry, field.bytes() + field.size(), value);)
          columns.at(field.field()).push_back(unzigzag(value));
      }
    }
    out.clear();
  }
};

TEST("virtual waits: the drain keeps them apart from samples, and tells who still waits") {
  Recording recording{Config{}};
  FakeRuntime runtime;
  Drain drain;
  Bytes out;
  CHECK(drain.init(*recording.session, runtime));
  virtual_thread_leaves(recording.record, 5000, walk);
  virtual_thread_leaves(recording.record, 5003, walk);
  sleep_ms(2);
  virtual_thread_comes_back(recording.record, 5000, walk);
  CHECK(drain.cut_samples(out));
  Seen first(out);
  CHECK_EQUAL(first.samples, 0u);
  CHECK(first.kinds.back() == ChunkKind::OffCarrierWaits);
  CHECK(first.columns[2] == std::vector<i64>{5000});
  CHECK(first.columns[4].at(0) >= 2 * kNsPerMs);
  CHECK(first.columns[5].at(0) > 0);
  i64 now = now_ns();
  drain.cut_off_carrier_waits(out, now);
  Seen last(out);
  CHECK(last.columns[2] == std::vector<i64>{5003});
  CHECK_EQUAL(recording.session->origin_ns + last.columns[3].at(0) + last.columns[4].at(0), now);
  CHECK(last.columns[6] == std::vector<i64>{kFlagOpenWait});
  CHECK(!drain.cut_samples(out));
  drain.release();
  out.release();
}

TEST("virtual waits: events that cost too much are on for a second at a time, and off for as long as that pays") {
  EventsPace pace;
  Config config;
  const i64 step = 200 * kNsPerMs;
  const u64 cpu = 200 * kNsPerMs;
  const u64 allowed = 1 * kNsPerMs;  // half a percent
  i64 now = kNsPerSecond;
  for (int i = 0; i < 100; i++) CHECK(pace.step(config, now += step, allowed, cpu));
  u32 on = 0;
  bool was = true;
  // Four times as much while they are on.
  for (int i = 0; i < 1000; i++) on += was = pace.step(config, now += step, was ? allowed * 4 : 0, cpu);
  CHECK(on > 200 && on < 300);
  config.budget_ppm = 0;
  CHECK(pace.step(config, now += step, kNsPerSecond, cpu));
}

}  // namespace
