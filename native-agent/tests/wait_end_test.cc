// The end of a wait: which are captured, their times, and who ended them.
#include "core/wait_end.h"

#include "base/clock.h"
#include "harness.h"

using namespace btrace;

namespace {

struct Recording {
  Session* session;
  ThreadRecord& record;
  explicit Recording(i64 interval_ns) : session(nullptr), record(*g_threads.current_record()) {
    Config config;
    config.sync_interval_ns = interval_ns;
    config.budget_ppm = 0;
    session = open_session(config);
    CHECK(session != nullptr);
    activate_session(*session);
  }
  ~Recording() {
    deactivate_session();
    close_session(*session);
  }
  Wait wait_of(i64 ns) {
    Wait wait = begin_wait();
    wait.begin_ns -= ns;
    wait.object = 77;
    return wait;
  }
  i64 end(const Wait& wait, bool force = false) {
    return capture_wait(
        record, SampleKind::Park, wait, force, [&](Row& row, ThreadRecord&) { row.cpu_ns = wait.begin_cpu_ns + 5000; },
        [](Capture& capture) {
          capture.frames()[0] = {7, 1};
          capture.commit(1);
          return true;
        });
  }
  std::vector<Row> rows() {
    flush_pending(*session, record, 0);
    std::vector<Row> rows(100);
    rows.resize(record.held.shard.pop(session->pool, rows.data(), 100));
    return rows;
  }
};

constexpr i64 kNever = 3600 * kNsPerSecond;

TEST("wait's end: a long wait is captured with its begin, its length and its CPU time") {
  Recording recording(kNever);
  const Wait wait = recording.wait_of(20 * kNsPerMs);
  const i64 time_ns = recording.end(wait);
  CHECK_EQUAL(time_ns, wait.begin_ns - recording.session->origin_ns);
  auto rows = recording.rows();
  CHECK_EQUAL(rows.size(), size_t{1});
  CHECK_EQUAL(rows[0].time_ns, time_ns);
  CHECK(rows[0].duration_ns >= 20 * kNsPerMs);
  CHECK_EQUAL(rows[0].cpu_ns, wait.begin_cpu_ns);
  CHECK_EQUAL(rows[0].cpu_duration_ns, i64{5000});
  CHECK_EQUAL(rows[0].object, u64{77});
}

TEST("wait's end: a short one is left out while the gate is closed, and the next row says so") {
  Recording recording(kNever);
  recording.session->waits_stretch.store_relaxed(10000 * Session::kUnstretched);  // a wait is short for seconds: it may be held up
  CHECK(recording.end(recording.wait_of(1)) != kNotCaptured);  // the first one closes the gate
  recording.rows();
  for (int i = 0; i < 3; i++) CHECK_EQUAL(recording.end(recording.wait_of(100 * kNsPerUs)), kNotCaptured);
  recording.record.own.seen_wait_end_ns = now_ns();
  CHECK(recording.end(recording.wait_of(100 * kNsPerUs), true) != kNotCaptured);
  auto rows = recording.rows();
  CHECK_EQUAL(rows.size(), size_t{1});
  CHECK(rows[0].flags & kFlagWaitedBefore);
}

TEST("wait's end: a wait of an earlier recording is none of this one") {
  Wait wait;
  {
    Recording recording(0);
    wait = recording.wait_of(20 * kNsPerMs);
  }
  Recording recording(0);
  CHECK_EQUAL(recording.end(wait), kNotCaptured);
  CHECK_EQUAL(recording.rows().size(), size_t{0});
}

TEST("wait's end: who ended it is named and linked") {
  Recording recording(kNever);
  g_links.clear();
  const Wait wait = recording.wait_of(20 * kNsPerMs);
  publish_wait_for(recording.record, 77, SampleKind::Park, wait);
  CHECK(is_waiting_for(recording.record, 77));
  record_waker(recording.record, 9, 1234);
  withdraw_wait_for(recording.record);
  capture_linked_wait(recording.record, wait, LinkCertainty::Observed,
                  [&](const Wait& ended) { return recording.end(ended); });
  auto rows = recording.rows();
  CHECK_EQUAL(rows.size(), size_t{1});
  CHECK_EQUAL(rows[0].peer, 9u);
  Link link;
  CHECK(g_links.pop(link));
  CHECK_EQUAL(link.waker, 9u);
  CHECK_EQUAL(link.waker_time_ns, i64{1234});
  CHECK_EQUAL(link.waiter_time_ns, rows[0].time_ns);
}

TEST("wait's end: a watched thread logs each wait, also one that gets no row") {
  Recording recording(kNever);
  static LoopLog log;
  log.begin(kNsPerSecond);
  recording.record.loop.store(&log);
  LoopLog::Entry entry;
  const auto logs = [&](const Wait& wait, bool is_walked) {
    CHECK(log.next(entry));
    CHECK_EQUAL(entry.begin_ns, wait.begin_ns);
    CHECK(entry.end_ns - entry.begin_ns >= 20 * kNsPerMs && entry.end_ns <= now_ns());
    CHECK_EQUAL(entry.stack != LoopLog::kNotWalked, is_walked);
    CHECK(!log.next(entry));
  };
  const Wait captured = recording.wait_of(20 * kNsPerMs);
  CHECK(recording.end(captured) != kNotCaptured);
  logs(captured, true);

  const Wait held = recording.wait_of(20 * kNsPerMs);
  recording.record.busy.store(Holder::Agent);
  CHECK_EQUAL(recording.end(held), kNotCaptured);
  CHECK_EQUAL(recording.end(recording.wait_of(kNsPerMs)), kNotCaptured);  // too short for the watch
  recording.record.busy.store(Holder::Nobody);
  logs(held, false);

  const Wait not_walked = recording.wait_of(20 * kNsPerMs);
  const i64 time_ns = capture_wait(
      recording.record, SampleKind::Park, not_walked, false, [](Row&, ThreadRecord&) {},
      [](Capture& capture) { return capture.lose(LossReason::WalkError), false; });
  CHECK_EQUAL(time_ns, kNotCaptured);
  logs(not_walked, false);
  recording.record.loop.store(nullptr);
}

}  // namespace
