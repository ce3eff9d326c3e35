#include "core/outside.h"

#include "base/clock.h"
#include "base/pages.h"

namespace btrace {

namespace {

// A thread that waits is looked at less and less often, down to this: a look costs a system call of some 400 ns, and a
// thread that wakes is missed for no longer (its points see it at once).
constexpr i64 kLongestLookNs = 100 * kNsPerMs;
// At most this share of one core goes into looking: a tick that cost more makes the pause after it longer. The looker's
// own CPU time is what counts: on a busy machine it waits long for threads that are not on a core.
constexpr i64 kPausePerTick = 20;
// A wait that began at a point gives a row of its own when it ends. One from here, before that, would say where the
// thread came to and hide what ran before the wait; only of long waits is it wanted, so that they show while they last.
constexpr i64 kLongWaitNs = 1000 * kNsPerMs;

}  // namespace

bool OutsideSampler::init(Session& session, Runtime& runtime) {
  session_ = &session;
  runtime_ = &runtime;
  interval_ns_ = session.config.async_interval_ns;
  frames_ = map_array<Frame>(WalkBuffer::kFrames);
  return frames_ != nullptr;
}

void OutsideSampler::release() {
  unmap_array(frames_, WalkBuffer::kFrames);
}

i64 OutsideSampler::tick() {
  i64 begin = now_ns();
  i64 begin_cpu = clock_ns(kClockThreadCpu);
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.state.load_acquire() != ThreadRecord::State::Live) continue;
    if (record.busy.load_relaxed() == Holder::Never || !record.runtime_ref.load_relaxed()) continue;
    if (session_->config.main_only && !record.is_main) continue;
    if (record.watched_session != session_->id) {
      record.watched_session = session_->id;
      record.walked_cpu_ns = -1;
      record.next_look_ns = 0;
      record.look_interval_ns = interval_ns_;
    }
    i64 now = now_ns();
    if (now >= record.next_look_ns) look(record, now);
  }
  i64 cost = clock_ns(kClockThreadCpu) - begin_cpu;
  return max_of(interval_ns_ - (now_ns() - begin), cost * kPausePerTick);
}

void OutsideSampler::look(ThreadRecord& record, i64 now) {
  u64 tick = tick_now();
  record.next_look_ns = now + interval_ns_;
  bool adopted = record.session.load_acquire() == session_->id;
  if (adopted && tick - record.evidence_tick.load_relaxed() < ns_to_ticks(interval_ns_)) return;
  i64 blocked_since = record.blocked_since_ns.load_acquire();
  if (blocked_since && now - blocked_since < kLongWaitNs) return;
  i64 cpu = thread_cpu_ns(record.tid.load_relaxed());
  if (cpu < 0) return;

  if (cpu == record.walked_cpu_ns && record.walked_epoch == session_->stacks.epoch()) {
    record.look_interval_ns = min_of(record.look_interval_ns * 2, max_of(kLongestLookNs, interval_ns_));
    record.next_look_ns = now + record.look_interval_ns;
    Capture capture;
    if (!capture.begin_outside(&record, SampleKind::AsyncOutside, now, tick)) return;
    capture.row().cpu_ns = cpu;
    capture.row().counters |= kCounterCpu;
    capture.row().flags = record.walked_flags;
    capture.commit_repeat(record.walked_stack);
    return;
  }

  record.look_interval_ns = interval_ns_;
  record.walked_cpu_ns = -1;
  u16 flags = kFlagSafepoint;
  i32 frames = runtime_->walk_outside(record, frames_, WalkBuffer::kFrames, flags);
  if (frames == 0) return;  // not started yet, or it has no frames of this runtime
  Capture capture;
  if (!capture.begin_outside(&record, SampleKind::AsyncOutside, now, tick)) return;
  if (frames < 0) {
    capture.lose(LossReason::WalkError);
    return;
  }
  capture.row().cpu_ns = cpu;
  capture.row().counters |= kCounterCpu;
  capture.row().flags = flags;
  record.walked_epoch = session_->stacks.epoch();
  record.walked_stack = capture.commit_frames(frames_, static_cast<u32>(frames));
  record.walked_flags = flags;
  record.walked_cpu_ns = record.walked_stack ? cpu : -1;
}

}  // namespace btrace
