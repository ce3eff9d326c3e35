#pragma once
// A recording, and captures in it as a point makes them.
#include <vector>

#include "core/capture.h"
#include "harness.h"

struct Recording {
  btrace::Session* session;
  explicit Recording(btrace::Config config = {}) {
    session = btrace::open_session(config);
    CHECK(session != nullptr);
    btrace::activate_session(*session);
  }
  ~Recording() {
    btrace::deactivate_session();
    btrace::close_session(*session);
  }
};

inline btrace::Config at_once() {
  btrace::Config config;
  config.sync_interval_ns = 0;
  config.budget_ppm = 0;
  return config;
}

inline bool capture(btrace::u64 code, bool force = false, btrace::SampleKind kind = btrace::SampleKind::Allocation) {
  btrace::Capture made;
  if (!made.begin(btrace::g_threads.current_record(), kind, force)) return false;
  made.frames()[0] = {code, 3};
  made.frames()[1] = {7, 1};
  made.commit(2);
  return true;
}

inline std::vector<btrace::Row> rows_of(btrace::Session& session, btrace::ThreadRecord& record) {
  btrace::flush_pending(session, record, 0);
  std::vector<btrace::Row> rows(100000);
  rows.resize(record.held.shard.pop(session.pool, rows.data(), 100000));
  return rows;
}
