#include "core/wait_end.h"

#include "base/clock.h"

namespace btrace {

bool begin_wait_end(Capture& capture, ThreadRecord& record, SampleKind kind, const Wait& wait, bool force) {
  const Session* session = active_session();
  if (!wait.session || !session || session->id != wait.session) return false;
  const i64 lasted_ns = now_ns() - wait.begin_ns;
  if (capture.begin(&record, kind, force || is_forced(*session, record, lasted_ns))) return true;
  leave_out_wait(record, lasted_ns);
  log_wait_without_row(record, wait, wait.begin_ns + lasted_ns);
  return false;
}

void log_wait_without_row(const ThreadRecord& record, const Wait& wait, i64 end_ns) {
  if (end_ns - wait.begin_ns < LoopLog::kLeastWaitNs) return;
  if (LoopLog* loop = record.loop.load_acquire()) loop->waited(wait.begin_ns, end_ns, LoopLog::kNotWalked);
}

void fill_wait_row(Capture& capture, ThreadRecord& record, const Wait& wait) {
  Row& row = capture.row();
  // To when the record was taken: what an external sampler saw of this thread before that lies within the wait.
  const i64 end_ns = capture.begin_ns();
  row.time_ns = capture.session().since_origin(wait.begin_ns);
  row.duration_ns = max_of<i64>(end_ns - wait.begin_ns, 1);
  // The CPU clock at the row's time.
  const i64 begin_cpu_ns = cpu_at_begin(capture.session(), record, wait, row.cpu_ns);
  row.cpu_duration_ns = max_of<i64>(row.cpu_ns - begin_cpu_ns, 0);
  row.cpu_ns = begin_cpu_ns;
  row.type = wait.type;
  row.object = wait.object;
  row.peer = wait.peer;
  row.flags |= wait.flags | waited_before(record, wait.begin_ns, end_ns);
}

}  // namespace btrace
