#include "agent/lag_writer.h"

#include "agent/frame_names.h"
#include "agent/own_recording.h"
#include "base/clock.h"
#include "base/libc.h"
#include "core/proto.h"
#include "core/session.h"
#include "os/machine.h"
#include "os/process.h"

namespace btrace {

namespace {

constexpr u32 kMostFrames = 128;

i64 realtime_ns() {
  return clock_ns(kClockRealtime);
}

}  // namespace

bool LagWriter::open(const LagSettings& settings, Runtime& runtime) {
  SpinScope scope(lock_);
  settings_ = &settings;
  runtime_ = &runtime;
  files_.close();
  if (!files_.open(settings.folder, settings.version, realtime_ns())) return false;
  files_.tidy(settings.quota, realtime_ns());
  ready_count_ = 0;
  return true;
}

void LagWriter::end(LastEnd how) {
  SpinScope scope(lock_);
  files_.end(how);
}

void LagWriter::close() {
  SpinScope scope(lock_);
  files_.close();
}

void LagWriter::live(bool in_lag) {
  SpinScope scope(lock_);
  files_.live(realtime_ns(), in_lag);
}

void LagWriter::tidy() {
  SpinScope scope(lock_);
  files_.tidy(settings_->quota, realtime_ns());
}

// The message of docs/FORMAT.md. With names in it, so that who groups many files reads no other part of them.
bool LagWriter::put(Bytes& out, i64 now, const FoundLag& found) const {
  SessionReader reader;
  const Session* session = reader.session();
  // The stack's number means nothing in another session.
  if (!session || session->id != found.session) return false;
  const Lag& lag = found.lag;
  const RecentStacks::Costliest& costliest = found.costliest;
  ThreadRecord& record = found.record;
  put_field(out, 1, static_cast<u64>(found.kind));
  put_field(out, 2, record.index.load_relaxed());
  put_signed_field(out, 3, session->since_origin(lag.begin_ns));
  put_signed_field(out, 4, session->since_origin(now));
  if (lag.end_ns) put_signed_field(out, 5, session->since_origin(lag.end_ns));
  put_field(out, 6, found.cpu_percent);
  put_field(out, 7, costliest.repeats);
  put_field(out, 8, costliest.of);
  FrameName name;
  u32 at = costliest.of && session->stacks.has(costliest.stack.node) ? costliest.stack.node : 0;
  for (u32 depth = 0; at && depth < kMostFrames; depth++) {
    const Node frame = session->stacks.at(at);
    if (!frame.is_native()) {
      name_frame(*runtime_, frame.code, i64{frame.position} - 1, name);
      Nested nested(out, 9);
      put_text_field(out, 1, name.class_name);
      put_text_field(out, 2, name.method);
      put_text_field(out, 3, name.file);
      put_field(out, 4, static_cast<u64>(max_of(name.line, 0)));
    }
    if (frame.parent >= at) break;
    at = frame.parent;
  }
  put_text_field(out, 10, settings_->version);
  put_text_field(out, 11, settings_->device);
  put_field(out, 12, settings_->user);
  char comm[32] = {};
  thread_comm(record.tid.load_relaxed(), comm, sizeof comm);
  put_text_field(out, 13, record.is_main ? "main" : comm);
  put_field(out, 14, found.unwritten);
  const ProcessUse use = process_use();
  put_field(out, 15, static_cast<u64>(max_of<i64>(use.resident_bytes, 0)));
  put_field(out, 16, static_cast<u64>(max_of<i64>(runtime_->heap_used(), 0)));
  put_field(out, 17, static_cast<u64>(max_of<i64>(use.threads, 0)));
  put_field(out, 18, static_cast<u64>(realtime_ns()));
  return !out.failed();
}

void LagWriter::write(i64 now, const FoundLag& found) {
  const LagQuota& quota = settings_->quota;
  char part[kPathRoom];
  {
    SpinScope scope(lock_);
    const i64 realtime = realtime_ns();
    if (!quota.is_drawn(settings_->user, day_of(realtime)) || !files_.begin(quota, realtime, part)) return;
    // Killed while the file is written, it was killed in this lag.
    files_.live(realtime, !found.lag.end_ns);
  }
  Bytes payload;
  bool is_whole = put(payload, now, found);
  if (is_whole) {
    const DumpNote note{ChunkKind::Lag, payload.data(), payload.size()};
    is_whole = dump_own_recording(part, 0, &note) == static_cast<i32>(OwnResult::Done);
  }
  payload.release();
  SpinScope scope(lock_);
  char path[kPathRoom];
  if (!files_.finish(is_whole, path)) return;
  written_.add(1);
  if (ready_count_ == kReady) {
    // Nobody takes them: the files stay, and the newest are handed over.
    memmove(ready_, ready_ + 1, (kReady - 1) * sizeof *ready_);
    ready_count_--;
  }
  memcpy(ready_[ready_count_++].path, path, sizeof path);
  changes_.add(1);
  wake_waiting(changes_, 1);
}

bool LagWriter::take(char (&path)[kPathRoom]) {
  SpinScope scope(lock_);
  if (!ready_count_) return false;
  memcpy(path, ready_[0].path, sizeof path);
  memmove(ready_, ready_ + 1, --ready_count_ * sizeof *ready_);
  return true;
}

void LagWriter::wait(u32 changes, i64 wait_ns) const {
  wait_while(changes_, changes, wait_ns);
}

void LagWriter::wake_takers() {
  changes_.add(1);
  wake_waiting(changes_, ~0u >> 1);
}

void LagWriter::set_in_front(bool is_in_front) {
  SpinScope scope(lock_);
  files_.set_in_front(is_in_front);
}

LastEnd LagWriter::last_end() {
  SpinScope scope(lock_);
  return files_.last_end();
}

void LagWriter::correct_last_end(LastEnd end) {
  SpinScope scope(lock_);
  files_.correct_last_end(end);
}

}  // namespace btrace
