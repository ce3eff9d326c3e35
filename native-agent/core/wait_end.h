#pragma once
// The end of a wait, for all runtimes: whether it is captured, its times, its counters and who ended it. A runtime adds
// how it reads counters and how it walks.
#include "core/capture.h"
#include "core/waits.h"

namespace btrace {

// Opens the capture of a wait that has just ended. False: it is not captured, and counts as left out.
bool begin_wait_end(Capture& capture, ThreadRecord& record, SampleKind kind, const Wait& wait, bool force);
// Tells the lag watch of a wait that gets no row, as when the agent holds the record. The watch takes two messages for
// one if it does not hear of the wait between them.
void log_wait_without_row(const ThreadRecord& record, const Wait& wait, i64 end_ns);
// The row of that wait, when its counters are read.
void fill_wait_row(Capture& capture, ThreadRecord& record, const Wait& wait);

// Captures the wait that has just ended. One as long as the capture interval is never left out, nor one by `force`.
// `read_counters(row, record)` comes first; `commit(capture)` walks, and commits or gives up. Returns the sample's time
// (the begin of the wait) since the session's origin, or kNotCaptured.
template <class ReadCounters, class Commit>
i64 capture_wait(ThreadRecord& record, SampleKind kind, const Wait& wait, bool force, ReadCounters read_counters,
             Commit commit) {
  Capture capture;
  if (!begin_wait_end(capture, record, kind, wait, force)) return kNotCaptured;
  read_counters(capture.row(), record);
  fill_wait_row(capture, record, wait);
  const i64 time_ns = capture.row().time_ns;
  const i64 end_ns = capture.begin_ns();
  if (commit(capture)) return time_ns;
  log_wait_without_row(record, wait, end_ns);
  return kNotCaptured;
}

// The same of a wait that another thread may have ended, after withdraw_wait_for(): the row names that thread, and the
// two are linked. `end(wait)` captures.
template <class End>
void capture_linked_wait(ThreadRecord& record, Wait wait, LinkCertainty certainty, End end) {
  wait.peer = record.wait.waker.load_acquire();
  link_to_waker(record, wait, end(wait), certainty);
}

}  // namespace btrace
