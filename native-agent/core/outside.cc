#include "core/outside.h"

#include "base/clock.h"
#include "base/pages.h"
#include "os/linux/machine.h"

namespace btrace {

namespace {

constexpr const char* kTimersHook = "cpu timers";
// A thread that waits is looked at less and less often, down to this: a look costs a system call of some 400 ns, and a
// thread that wakes is missed for no longer (its points and its timer see it at once).
constexpr i64 kLongestLookNs = 100 * kNsPerMs;
// At most this share of one core goes into looking: a round that cost more makes the pause after it longer. The
// looker's own CPU time is what counts: on a busy machine it waits long for threads that are not on a core. Where there
// are no timers, so much for the main thread, and so much for all others together: rounds are not stretched then, for
// they are all there is to see running threads by.
constexpr i64 kPausePerRound = 50;
// A wait that began at a point gives a row of its own when it ends. One from here, before that, would say where the
// thread came to and hide what ran before the wait; only of long waits is it wanted, so that they show while they last.
constexpr i64 kLongWaitNs = 1000 * kNsPerMs;
// Of a thread that had no frames of the runtime when it was walked: it has none while it does not run.
constexpr u32 kNoStack = 0;

}  // namespace

bool OutsideSampler::init(Session& session, Runtime& runtime) {
  session_ = &session;
  runtime_ = &runtime;
  interval_ns_ = session.config.async_interval_ns;
  frames_ = map_array<Frame>(WalkBuffer::kFrames);
  if (!frames_) return false;
  start_timers();
  return true;
}

void OutsideSampler::release() {
  stop_timers();
  unmap_array(frames_, WalkBuffer::kFrames);
}

// ---------------------------------------------------------------- timers

void OutsideSampler::start_timers() {
  if (!runtime_->walks_here()) return;
  if (!session_->config.wants(SampleKind::AsyncSelf)) {
    session_->report_hook(kTimersHook, HookState::Off, "not asked for");
    return;
  }
  const char* why = timers_.start(*session_, *runtime_);
  session_->report_hook(kTimersHook, why ? HookState::Failed : HookState::Installed, why);
  session_->has_timers.store(!why);
  next_check_ns_ = now_ns() + kNsPerSecond;
}

// Another profiler that came later may have taken the signal: it is left to it.
void OutsideSampler::check_timers() {
  if (!timers_.running() || now_ns() < next_check_ns_) return;
  next_check_ns_ = now_ns() + kNsPerSecond;
  if (timers_.still_ours()) return;
  timers_.stop();
  session_->has_timers.store(0);
  session_->report_hook(kTimersHook, HookState::Failed, "another profiler has taken the signal since");
}

void OutsideSampler::stop_timers() {
  if (!timers_.running()) return;
  timers_.stop();
  session_->report_hook(kTimersHook, HookState::Removed);
}

void OutsideSampler::run(i64 notice_ns) {
  while (!asked_to_end_.load()) wait(min_of(tick(), notice_ns));
}

// So long, or until a thread is due; where none will be, until it is asked to end.
void OutsideSampler::wait(i64 ns) {
  if (timers_.running())
    timers_.wait(ns);
  else
    sys::futex_wait(&asked_to_end_, 0, ns);
}

// ---------------------------------------------------------------- looks

// Walks those that are due, and has one look at everybody whose time has come. Returns how long to wait, ns.
i64 OutsideSampler::tick() {
  check_timers();
  if (timers_.running())
    while (ThreadRecord* record = asked_to_end_.load() ? nullptr : timers_.take_due()) {
      if (i64 time_ns = record->provisional_ns.exchange(0)) {
        if (is_watched(*record)) complete(*record, time_ns);
        continue;
      }
      u64 tick = tick_now();
      // On a busy machine one that ran when it was marked may wait by now: then its next interrupt stands for that
      // time as well.
      bool runs = is_watched(*record) && !record->blocked_since_ns.load_acquire() && now_ns() >= record->rest_until_ns;
      i64 cpu = runs ? thread_cpu_ns(record->tid.load_relaxed()) : -1;
      if (cpu >= 0) walk(*record, tick, now_ns(), cpu, kFlagAtWork);
    }
  if (now_ns() >= next_round_ns_) {
    i64 begin = now_ns();
    i64 begin_cpu = own_cpu_ns();
    i64 first_due = look_at_all();
    i64 cost = own_cpu_ns() - begin_cpu;
    const i64 longest = max_of(kLongestLookNs, interval_ns_);
    const i64 next = timers_.running() ? begin + min_of(session_->stretched(interval_ns_), longest)
                                       : max_of(begin + interval_ns_, min_of(first_due, begin + longest));
    next_round_ns_ = max_of(next, now_ns() + cost * kPausePerRound * sharers_);
  }
  return max_of<i64>(next_round_ns_ - now_ns(), kNsPerMs / 10);
}

bool OutsideSampler::is_watched(ThreadRecord& record) {
  return record.state.load_acquire() == ThreadRecord::State::Live && record.busy.load_relaxed() != Holder::Never &&
         record.runtime_ref.load_relaxed() && (!session_->config.main_only || record.is_main) &&
         (group_ == kAllGroups || group_ == group_of(record));
}

// Returns when the first of them is to be looked at again.
i64 OutsideSampler::look_at_all() {
  i64 first_due = now_ns() + kLongestLookNs;
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots && !asked_to_end_.load(); slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (!is_watched(record)) {
      timers_.unwatch(record);
      continue;
    }
    meet(record);
    if (now_ns() >= record.next_look_ns) look(record);
    first_due = min_of(first_due, record.next_look_ns);
  }
  return first_due;
}

void OutsideSampler::meet(ThreadRecord& record) {
  if (record.watched_session == session_->id) return;
  record.watched_session = session_->id;
  record.walked_cpu_ns.store_relaxed(-1);
  record.watched_cpu_ns = -1;
  record.next_look_ns = record.stand_due_ns = record.rest_until_ns = 0;
  record.look_interval_ns = interval_ns_;
}

void OutsideSampler::look(ThreadRecord& record) {
  // In this order: a capture of the thread's own between the two makes this look pointless, not earlier than it.
  u64 tick = tick_now();
  i64 now = now_ns();
  record.next_look_ns = now + interval_ns_;
  bool has_timer = timers_.running() && timers_.watch(record);
  bool adopted = record.session.load_acquire() == session_->id;
  if (adopted && tick - record.evidence_tick.load_relaxed() < ns_to_ticks(interval_ns_)) return;
  i64 blocked_since = record.blocked_since_ns.load_acquire();
  if (blocked_since && now - blocked_since < kLongWaitNs) return;
  i64 cpu = thread_cpu_ns(record.tid.load_relaxed());
  if (cpu < 0) return;
  i64 looked_cpu = record.watched_cpu_ns;
  record.watched_cpu_ns = cpu;
  if (cpu == record.walked_cpu_ns.load_relaxed() && record.walked_epoch.load_relaxed() == session_->stacks.epoch())
    stand(record, tick, now, cpu);
  else if (!has_timer || looked_cpu < 0 || cpu == looked_cpu || stands_between(record, now))
    walk(record, tick, now, cpu, timers_.running() && !has_timer && cpu != looked_cpu ? kFlagAtWork : 0);
}

// Of a thread that has worked since it was looked at, and waits now for what is no point: input, as a rule. Those who
// do so between short pieces of work would never be seen there. There may be many such threads: each is looked at no
// oftener than the budget has it.
bool OutsideSampler::stands_between(ThreadRecord& record, i64 now) {
  if (now < record.stand_due_ns) return false;
  record.stand_due_ns = now + session_->stretched(interval_ns_);
  return !thread_runs(record.tid.load_relaxed());
}

void OutsideSampler::stand(ThreadRecord& record, u64 tick, i64 now, i64 cpu) {
  record.look_interval_ns = min_of(record.look_interval_ns * 2, max_of(kLongestLookNs, interval_ns_));
  record.next_look_ns = now + record.look_interval_ns;
  const u32 stack = record.walked_stack.load_relaxed();
  if (stack == kNoStack) return;
  Capture capture;
  if (!capture.begin_outside(&record, SampleKind::AsyncOutside, now, tick)) return;
  capture.row().cpu_ns = cpu;
  capture.row().counters |= kCounterCpu;
  WalkNotes{record.walked_flags.load_relaxed(), record.walked_message.load_relaxed()}.tell(capture.row());
  capture.commit_repeat(stack);
}

void OutsideSampler::complete(ThreadRecord& record, i64 time_ns) {
  OutsideWalk walk{now_ns(), frames_, 0, 0, 0};
  WalkNotes notes;
  notes.flags = kFlagSafepoint | kFlagAtWork;
  walk.count = static_cast<u32>(max_of(runtime_->walk_outside(record, frames_, WalkBuffer::kFrames, notes), 0));
  walk.message = notes.message;
  walk.flags = notes.flags;
  complete_pending(*session_, record, time_ns, walk);
}

void OutsideSampler::walk(ThreadRecord& record, u64 tick, i64 now, i64 cpu, u16 at_work) {
  record.look_interval_ns = interval_ns_;
  record.walked_cpu_ns.store_relaxed(-1);
  WalkNotes notes;
  notes.flags = kFlagSafepoint;
  i32 frames = runtime_->walk_outside(record, frames_, WalkBuffer::kFrames, notes);
  if (const u64 budget = session_->config.budget_ppm) {
    const i64 rest_until_ns = now_ns() + (now_ns() - now) * 1000000 / static_cast<i64>(budget);
    // A stack that is deeper than there is room costs milliseconds, in the thread itself. It is due with each
    // interrupt, as no walk in the handler holds it.
    if (notes.flags & kFlagCut) record.rest_until_ns = rest_until_ns;
    // All others of the group waited for it.
    if (frames == Runtime::kTimedOut) record.next_look_ns = rest_until_ns;
  }
  if (frames == Runtime::kWalkLater) return;
  if (frames == 0) {
    stands_at(record, kNoStack, notes, now, cpu);
    return;
  }
  Capture capture;
  if (!capture.begin_outside(&record, SampleKind::AsyncOutside, now, tick)) return;
  if (frames < 0) {
    capture.lose(frames == Runtime::kTimedOut ? LossReason::SuspendTimeout : LossReason::WalkError);
    return;
  }
  capture.row().cpu_ns = cpu;
  capture.row().counters |= kCounterCpu;
  notes.tell(capture.row());
  capture.row().flags |= at_work;
  if (const u32 due = at_work ? record.due_intervals.exchange(0) : 0) capture.row().overruns = due - 1;
  u32 count = static_cast<u32>(frames);
  Frame natives[NativeStacks::kMost];
  const u32 room = min_of(NativeStacks::kMost, WalkBuffer::kFrames - count);
  const u32 found = session_->stacks.natives(frames_, count, record.last, natives, room);
  // One that waits for a processor is where it was interrupted: what a walk from here cannot see of it is known.
  if (found && thread_runs(record.tid.load_relaxed())) {
    memmove(frames_ + found, frames_, count * sizeof *frames_);
    memcpy(frames_, natives, found * sizeof *natives);
    count += found;
  }
  if (const u32 stack = capture.commit_frames(frames_, count)) stands_at(record, stack, notes, now, cpu);
}

void OutsideSampler::stands_at(ThreadRecord& record, u32 stack, const WalkNotes& notes, i64 now, i64 cpu) {
  const u32 epoch = stack ? session_->stacks.epoch_of(stack) : session_->stacks.epoch();
  record.walked_ns.store_release(now);
  record.walked_session.store_release(session_->id);
  record.walked_epoch.store_release(epoch);
  record.walked_stack.store_release(stack);
  record.walked_flags.store_release(notes.flags);
  record.walked_message.store_release(notes.message);
  record.walked_cpu_ns.store_release(cpu);
}

}  // namespace btrace
