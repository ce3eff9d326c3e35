// What of equal captures, one behind the other, becomes rows.
#include "core/capture.h"

#include "base/clock.h"
#include "captures.h"
#include "harness.h"
#include "rows.h"

using namespace btrace;

namespace {

TEST("merging: a hundred equal stacks become two rows that count them") {
  Recording recording(at_once());
  for (int i = 0; i < 100; i++) CHECK(capture(5));
  CHECK(capture(6));
  auto rows = rows_of(*recording.session, *g_threads.current_record());
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
    CHECK(made.begin(g_threads.current_record(), SampleKind::Wait, true));
    made.row().object = 9;
    made.frames()[0] = {1, 0};
    made.commit(1);
  }
  CHECK_EQUAL(rows_of(*recording.session, *g_threads.current_record()).size(), 4u);
  u32 count = 0, merged = 0;
  for (int visit = 0; visit < 3; visit++) {
    for (int i = 0; i < 10; i++) CHECK(capture(5));
    for (const Row& row : rows_of(*recording.session, *g_threads.current_record())) count++, merged += row.merged;
  }
  CHECK_EQUAL(count + merged, 30u);
  CHECK_EQUAL(count, 4u);
}

// The i-th of a chain of equal captures: an interrupt that came late where `overruns` says so.
void capture_in_chain(u32 i, u32 overruns = 0) {
  Capture made;
  CHECK(made.begin(g_threads.current_record(), SampleKind::CpuTimer, false));
  made.row().cpu_ns = i;
  made.row().overruns = overruns;
  made.frames()[0] = {5, 3};
  made.commit(1);
}

TEST("merging: a chain over time is its first and its last row, also where the drain looks before it is old") {
  Recording recording(at_once());
  ThreadRecord& record = *g_threads.current_record();
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
  ThreadRecord& record = *g_threads.current_record();
  for (u32 i = 0; i < 20; i++) {
    capture_in_chain(i);
    sys::sleep_ns(kNsPerMs);
    flush_pending(*recording.session, record, 5 * kNsPerMs);
  }
  std::vector<Row> rows(100);
  rows.resize(record.held.shard.pop(recording.session->pool, rows.data(), 100));
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
      if (i == 12 && every % 2) flush_pending(*recording.session, *g_threads.current_record(), 0);
    }
    CHECK_EQUAL(captures_in(rows_of(*recording.session, *g_threads.current_record())), intervals);
    CHECK(capture(6));
    rows_of(*recording.session, *g_threads.current_record());
  }
}

TEST("merging: a row that has no room is lost with all it stands for, and the next one is a first one again") {
  Recording recording(at_once());
  ThreadRecord& record = *g_threads.current_record();
  for (u32 i = 0; i < 5; i++) capture_in_chain(i, i);
  recording.session->full.store(1);
  flush_pending(*recording.session, record, 0);
  recording.session->full.store(0);
  CHECK_EQUAL(record.held.lost[static_cast<u32>(LossReason::BufferFull)].load_relaxed(), 4 + 1u + 2 + 3 + 4);
  for (u32 i = 5; i < 10; i++) capture_in_chain(i);
  auto rows = rows_of(*recording.session, record);
  CHECK_EQUAL(rows.size(), 3u);
  CHECK_EQUAL(rows[1].cpu_ns, i64{5});
  CHECK_EQUAL(rows[1].merged, 0u);
  CHECK_EQUAL(rows[2].merged, 3u);
}

}  // namespace
