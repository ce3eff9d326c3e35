// Open waits: what other threads read of them, and their rows at the end of a recording.
#include <atomic>
#include <functional>
#include <thread>

#include "base/clock.h"
#include "core/capture.h"
#include "core/drain.h"
#include "core/waits.h"
#include "fake_runtime.h"
#include "harness.h"

using namespace btrace;

namespace {

Wait block_of(i64 number) {
  return {static_cast<u32>(number),     number,
          number,                       static_cast<u64>(number),
          static_cast<u64>(number) * 3, static_cast<u32>(number) * 5,
          static_cast<u16>(number * 7)};
}

TEST("open waits: a reader sees one whole wait or none while the thread goes from one wait to the next") {
  ThreadRecord& record = *g_threads.current_record();
  std::atomic<bool> done{false};
  Atomic<u64> wrong{}, seen{};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; i++)
    readers.emplace_back([&] {
      while (!done) {
        SampleKind kind;
        Wait found{};
        if (!read_published_wait(record, kind, found)) continue;
        seen.add(1);
        const Wait right = block_of(found.begin_ns);
        if (found.session != right.session || found.begin_cpu_ns != right.begin_cpu_ns ||
            found.object != right.object || found.type != right.type || found.peer != right.peer ||
            found.flags != right.flags || kind != static_cast<SampleKind>(5 + found.begin_ns % 4))
          wrong.add(1);
      }
    });
  // Those on the way out of one sometimes come to the next at once.
  for (i64 number = 1; number < 40000 || !seen.load(); number++) {
    publish_wait(record, static_cast<SampleKind>(5 + number % 4), block_of(number));
    if (number % 3) withdraw_wait(record);
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  withdraw_wait(record);
  CHECK_EQUAL(wrong.load(), u64{0});
}

// Each thread that is walked stands in one frame.
struct StandingRuntime : FakeRuntime {
  std::function<void(ThreadRecord&, SampleKind&, Wait&)> see = [](ThreadRecord&, SampleKind&, Wait&) {};
  u32 walks = 0;
  i64 walk_ns = 0;
  bool can_walk_other_threads() override { return true; }
  i32 walk_other_thread(ThreadRecord&, Frame* frames, u32, WalkNotes&) override {
    walks++;
    sys::sleep_ns(walk_ns);
    frames[0] = {77, 3};
    return 1;
  }
  void inspect_wait(Session&, ThreadRecord& record, u64, SampleKind& kind, Wait& wait) override {
    see(record, kind, wait);
  }
};

struct SeenRow {
  u32 thread = 0;
  i64 begin = 0, duration = 0, kind = 0, object = 0, peer = 0, flags = 0;
};

std::vector<SeenRow> rows_of(Bytes& out) {
  std::vector<SeenRow> rows;
  const u8* at = out.data();
  size_t left = out.size();
  ChunkView chunk{};
  for (size_t used; left && parse_chunk(at, left, chunk, used) == ChunkResult::Complete; at += used, left -= used) {
    if (chunk.kind != ChunkKind::Samples) continue;
    FieldReader message(chunk.payload, chunk.size);
    while (message.next()) {
      SeenRow row;
      FieldReader field(message.bytes(), message.size());
      while (field.next()) {
        u64 entry = 0;
        const u8* first = field.is_bytes() ? field.bytes() : nullptr;
        if (first) get_varint(first, field.bytes() + field.size(), entry);
        const i64 value = unzigzag(entry);
        if (field.field() == 1) row.thread = static_cast<u32>(field.value());
        if (field.field() == 3) row.begin = unzigzag(field.value());
        if (field.field() == 17) row.duration = value;
        if (field.field() == 21) row.kind = value;
        if (field.field() == 33) row.object = value;
        if (field.field() == 34) row.peer = value;
        if (field.field() == 35) row.flags = value;
      }
      rows.push_back(row);
    }
  }
  out.clear();
  return rows;
}

// Threads that are in a published wait, or in one that they have not published.
struct Recording {
  StandingRuntime runtime;
  Drain drain;
  Bytes out;
  Session* session;
  std::vector<std::thread> threads;
  std::vector<ThreadRecord*> records;
  std::atomic<bool> over{false};

  Recording() : session(open_session(Config{})) {
    CHECK(session && drain.init(*session, runtime));
    activate_session(*session);
  }
  ~Recording() {
    over = true;
    for (std::thread& thread : threads) thread.join();
    deactivate_session();
    drain.forget_threads();
    drain.release();
    close_session(*session);
    out.release();
  }
  ThreadRecord& start(std::function<void(ThreadRecord&)> begin) {
    std::atomic<ThreadRecord*> record{nullptr};
    threads.emplace_back([&, begin] {
      ThreadRecord& own = *g_threads.current_record();
      own.runtime_ref.store(this);
      begin(own);
      record = &own;
      while (!over) sys::sleep_ns(kNsPerMs);
    });
    while (!record) sys::sleep_ns(kNsPerMs / 10);
    records.push_back(record);
    return *record;
  }
  ThreadRecord& start_in(SampleKind kind, u64 object) {
    return start([=](ThreadRecord& own) {
      Wait wait = begin_wait();
      wait.object = object;
      publish_wait(own, kind, wait);
    });
  }
  std::vector<SeenRow> end(i64 now, i64 from = 0, bool may_walk = true) {
    drain.cut_open_waits(out, from, now, may_walk);
    return rows_of(out);
  }
};

TEST("open waits: each gets a row that lasts to the end and names the owner") {
  Recording recording;
  ThreadRecord& one = recording.start_in(SampleKind::Monitor, 11);
  ThreadRecord& other = recording.start_in(SampleKind::Park, 0);
  recording.start([](ThreadRecord& own) {
    publish_wait(own, SampleKind::Sleep, begin_wait());
    withdraw_wait(own);
  });
  const u32 one_index = index_in(*recording.session, one);
  recording.runtime.see = [&](ThreadRecord& record, SampleKind& kind, Wait& wait) {
    if (&record != &other) return;
    CHECK_EQUAL(kind, SampleKind::Park);
    wait.object = 12;
    wait.peer = one_index;
  };
  const i64 now = now_ns();
  auto rows = recording.end(now);
  CHECK_EQUAL(rows.size(), size_t{2});
  const u32 first = rows[0].thread == one_index ? 0 : 1;
  const SeenRow& monitor = rows[first];
  const SeenRow& park = rows[1 - first];
  CHECK_EQUAL(monitor.kind, i64{static_cast<i64>(SampleKind::Monitor)});
  CHECK_EQUAL(monitor.object, i64{11});
  CHECK_EQUAL(monitor.flags & kFlagOpenWait, i64{kFlagOpenWait});
  CHECK_EQUAL(recording.session->origin_ns + monitor.begin + monitor.duration, now);
  CHECK_EQUAL(park.object, i64{12});
  CHECK_EQUAL(park.peer, i64{one_index});
  CHECK_EQUAL(recording.runtime.walks, 2u);
}

TEST("open waits: when walks are slow, waits for locks are walked before other waits") {
  Recording recording;
  for (int i = 0; i < 8; i++) recording.start_in(SampleKind::Sleep, 0);
  const u32 monitor = index_in(*recording.session, recording.start_in(SampleKind::Monitor, 11));
  ThreadRecord& park = recording.start_in(SampleKind::Park, 0);
  recording.runtime.see = [&](ThreadRecord& record, SampleKind&, Wait& wait) {
    if (&record == &park) wait.peer = monitor;
  };
  recording.runtime.walk_ns = 150 * kNsPerMs;
  auto rows = recording.end(now_ns());
  CHECK(rows.size() < 10);
  CHECK_EQUAL(rows[0].thread, monitor);
  CHECK_EQUAL(rows[1].thread, index_in(*recording.session, park));
}

TEST("open waits: a thread that went on between the two looks gets no row") {
  Recording recording;
  ThreadRecord& one = recording.start_in(SampleKind::Monitor, 11);
  ThreadRecord& other = recording.start_in(SampleKind::Monitor, 12);
  std::atomic<u32> looks{0};
  recording.runtime.see = [&](ThreadRecord&, SampleKind&, Wait&) {
    // Both have been put in order, and seen once.
    if (++looks == 5) withdraw_wait(one);
  };
  auto rows = recording.end(now_ns());
  CHECK_EQUAL(rows.size(), size_t{1});
  CHECK_EQUAL(rows[0].thread, index_in(*recording.session, other));
}

// As the sampler leaves it of a thread that it has walked.
void stood(Session& session, ThreadRecord& record, u64 code) {
  LastStack last{};
  Frame frame{code, 3};
  record.walked.session.store_relaxed(session.id);
  record.walked.epoch.store_relaxed(session.stacks.epoch());
  record.walked.stack.store_relaxed(session.stacks.insert(&frame, 1, last));
  record.walked.ns.store_relaxed(now_ns());
  record.walked.cpu_ns.store_release(1);
}

TEST("open waits: the runtime may name a wait from before the recording if the thread never moved since") {
  Recording recording;
  Session& session = *recording.session;
  ThreadRecord& one = recording.start([](ThreadRecord&) {});
  ThreadRecord& unseen = recording.start([](ThreadRecord&) {});
  ThreadRecord& elsewhere = recording.start([](ThreadRecord&) {});
  ThreadRecord& worked = recording.start([](ThreadRecord& own) {
    Capture capture;
    CHECK(capture.begin(&own, SampleKind::Allocation, true));
    capture.frames()[0] = {77, 3};
    capture.commit(1);
  });
  stood(session, one, 77);
  stood(session, elsewhere, 78);
  stood(session, worked, 77);
  recording.runtime.see = [&](ThreadRecord& record, SampleKind& kind, Wait& wait) {
    CHECK(&record == &one || &record == &unseen || &record == &elsewhere || &record == &worked);
    kind = SampleKind::Monitor;
    wait.object = 5;
  };
  const i64 now = now_ns();
  auto rows = recording.end(now);
  CHECK_EQUAL(rows.size(), size_t{1});
  CHECK_EQUAL(rows[0].thread, index_in(session, one));
  CHECK_EQUAL(rows[0].flags & (kFlagOpenWait | kFlagFromBefore), i64{kFlagOpenWait | kFlagFromBefore});
  CHECK(rows[0].begin >= 0 && recording.session->origin_ns + rows[0].begin + rows[0].duration == now);
}

TEST("open waits: a dump cuts them at its begin, and walks no thread") {
  Recording recording;
  ThreadRecord& one = recording.start_in(SampleKind::Wait, 11);
  CHECK(recording.end(now_ns(), 0, false).empty());
  stood(*recording.session, one, 77);
  const i64 now = now_ns();
  const i64 from = now - 10;
  auto rows = recording.end(now, from, false);
  CHECK_EQUAL(rows.size(), size_t{1});
  CHECK_EQUAL(recording.session->origin_ns + rows[0].begin, from);
  CHECK_EQUAL(rows[0].flags & kFlagFromBefore, i64{kFlagFromBefore});
  CHECK_EQUAL(recording.runtime.walks, 0u);
}

}  // namespace
