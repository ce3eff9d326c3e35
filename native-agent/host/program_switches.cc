#include "host/program_switches.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <unordered_set>

#include "base/clock.h"
#include "host/target_process.h"

namespace btrace::host {

namespace {

constexpr int kRoundMs = 20;
// From this on a round follows the other without a pause.
constexpr u64 kFullPercent = 25;
// Threads may come while the events of others are opened.
constexpr int kMostLooks = 10;
constexpr size_t kBatch = 4096;

// A reader that is behind makes us wait, and the kernel count what it has no room for.
class Output {
 public:
  explicit Output(int fd) : fd_(fd) { records_.reserve(kBatch); }
  bool is_open() const { return fd_ >= 0; }

  void put(const SwitchRecord& record) {
    records_.push_back(record);
    if (records_.size() == kBatch) flush();
  }

  void put(SwitchKind kind, i64 time_ns) { put({time_ns, 0, 0, kind, 0}); }

  void flush() {
    const auto* at = reinterpret_cast<const u8*>(records_.data());
    size_t left = records_.size() * sizeof(SwitchRecord);
    while (left && fd_ >= 0) {
      const ssize_t done = write(fd_, at, left);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) {
        fd_ = -1;
        break;
      }
      at += done;
      left -= static_cast<size_t>(done);
    }
    records_.clear();
  }

 private:
  int fd_;
  std::vector<SwitchRecord> records_;
};

// 0: it ended before.
u32 read_pid(int in) {
  char line[16] = {};
  for (size_t length = 0; length < sizeof line - 1; length++) {
    ssize_t got;
    do got = read(in, line + length, 1);
    while (got < 0 && errno == EINTR);
    if (got != 1) return 0;
    if (line[length] == '\n') return static_cast<u32>(strtoul(line, nullptr, 10));
  }
  return 0;
}

bool has_ended(int in, int timeout_ms) {
  pollfd watched{in, POLLIN, 0};
  if (poll(&watched, 1, timeout_ms) <= 0) return false;
  char byte;
  return read(in, &byte, 1) <= 0;
}

bool watch(KernelEvents& events, const TargetProcess& process, Refusal& why) {
  const std::vector<u32> first = process.threads();
  if (!events.open(process.pid(), first, {0, false, true}, why)) return false;
  std::unordered_set<u32> known(first.begin(), first.end());
  for (int look = 0; look < kMostLooks; look++) {
    // A thread whose creator had its events already has them twice: the reader leaves repeats out.
    std::vector<u32> later;
    for (const u32 tid : process.threads())
      if (known.insert(tid).second) later.push_back(tid);
    if (later.empty()) break;
    events.add(later);
  }
  events.enable();
  return true;
}

// Returns how many records were lost, as far as the kernel said so.
u64 take_round(KernelEvents& events, u32 pid, Output& output) {
  KernelRecord record;
  SwitchRecord out;
  u64 lost = 0;
  while (events.next(record)) {
    if (read_switch(record, pid, out)) {
      if (out.kind == SwitchKind::Lost) lost += out.tid;
      output.put(out);
    }
    // The kernel tells of the loss with this core's next record, when the threads may long have been on others.
    if (record.filled_buffer)
      output.put({record.time_ns, 0, static_cast<u16>(record.processor), SwitchKind::Lost, 0});
  }
  events.end_round();
  output.flush();
  return lost;
}

// The kernel tells of a loss with the next record, which may never have come.
void put_untold(const KernelEvents& events, i64 now, u64 told, Output& output) {
  const std::vector<u32> full = events.full_to_the_end();
  for (const u32 processor : full) output.put({now, 0, static_cast<u16>(processor), SwitchKind::Lost, 0});
  u64 lost;
  if (!events.read_lost(lost)) lost = told + full.size();
  if (lost > told)
    output.put({now, static_cast<u32>(min_of<u64>(lost - told, UINT32_MAX)), kNoCore, SwitchKind::Lost, 0});
}

}  // namespace

bool read_switch(const KernelRecord& record, u32 pid, SwitchRecord& out) {
  // Of the records of threads that begin and end, and of those that say how many were lost.
  struct Task {
    perf_event_header header;
    u32 pid, parent_pid, tid, parent_tid;
  } task;
  struct Lost {
    perf_event_header header;
    u64 id, count;
  } lost;
  const u16 misc = record.header->misc;
  out = {record.time_ns, record.tid, static_cast<u16>(record.processor), SwitchKind::In, 0};
  switch (record.header->type) {
    case PERF_RECORD_SWITCH:
      if (misc & PERF_RECORD_MISC_SWITCH_OUT)
        out.kind = misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? SwitchKind::Preempted : SwitchKind::Slept;
      // A process that it forks inherits the events.
      return record.pid == pid;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
      if (record.header->size < sizeof task) return false;
      memcpy(&task, record.header, sizeof task);
      out.tid = task.tid;
      out.kind = record.header->type == PERF_RECORD_FORK ? SwitchKind::Born : SwitchKind::Ended;
      return task.pid == pid;
    case PERF_RECORD_LOST:
      if (record.header->size < sizeof lost) return false;
      memcpy(&lost, record.header, sizeof lost);
      out.tid = static_cast<u32>(min_of<u64>(lost.count, UINT32_MAX));
      out.kind = SwitchKind::Lost;
      return true;
    default:
      return false;
  }
}

bool stream_switches(int in, int out, Refusal& why) {
  {
    // Of this program itself: whether it may be asked for at all is known before the other one is touched.
    KernelEvents probe;
    if (!probe.open(static_cast<u32>(getpid()), {static_cast<u32>(getpid())}, {0, false, true}, why)) return false;
  }
  Output output(out);
  output.put(SwitchKind::Allowed, 0);
  output.flush();
  const u32 pid = read_pid(in);
  if (!pid) return true;
  const TargetProcess process(pid, "");
  KernelEvents events;
  if (!watch(events, process, why)) return false;
  output.put(SwitchKind::Begun, now_ns());
  output.flush();
  u64 lost = 0;
  while (output.is_open() && process.is_alive() &&
         !has_ended(in, events.fill_percent() > kFullPercent ? 0 : kRoundMs)) {
    events.begin_round();
    lost += take_round(events, pid, output);
  }
  const i64 over_ns = now_ns();
  events.begin_last_round();
  lost += take_round(events, pid, output);
  put_untold(events, over_ns, lost, output);
  output.put(SwitchKind::Over, over_ns);
  output.put(SwitchKind::Cost, clock_ns(kClockProcessCpu));
  output.flush();
  return true;
}

}  // namespace btrace::host
