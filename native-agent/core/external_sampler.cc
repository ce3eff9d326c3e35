#include "core/external_sampler.h"

#include "base/clock.h"
#include "base/pages.h"
#include "os/machine.h"
#include "os/process.h"

namespace btrace {

namespace {

constexpr const char* kTimersHook = "cpu timers";
// A thread that waits is looked at less and less often, down to this: a look costs a system call of some 400 ns, and a
// thread that wakes is missed for no longer (its points and its timer see it at once). Where there are very many
// threads, and timers to see those by that run, it is less often: all looks together cost a 500th of a core.
constexpr i64 kLongestLookNs = 100 * kNsPerMs;
constexpr i64 kLongestOfManyNs = 3000 * kNsPerMs;
constexpr i64 kPausePerLook = 500;
// At most this share of one core goes into looking: rounds that cost more come less often. The looker's own CPU time is
// what counts: on a busy machine it waits long for threads that are not on a core. Where there are no timers, so much
// for the main thread, and so much for all others together: rounds are not stretched then, for they are all there is to
// see running threads by.
constexpr i64 kPausePerRound = 50;
// A wait that began at a point gives a row of its own when it ends. One from here, before that, would say where the
// thread came to and hide what ran before the wait; only of long waits is it wanted, so that they show while they last.
constexpr i64 kLongWaitNs = 1000 * kNsPerMs;
// The lag watch must know earlier whether a thread waits for something to do.
constexpr i64 kLongWaitOfWatchedNs = 100 * kNsPerMs;
// Of a thread that had no frames of the runtime when it was walked: it has none while it does not run.
constexpr u32 kNoStack = 0;

}  // namespace

ExternalSampler::ExternalSampler(const Atomic<u32>& asked_to_end, u32 group)
    : asked_to_end_(asked_to_end),
      group_(group),
      for_rounds_(kPausePerRound * (group == 0 || group == kAllGroups ? 1 : kThreadGroups - 1)) {}

bool ExternalSampler::init(Session& session, Runtime& runtime) {
  session_ = &session;
  runtime_ = &runtime;
  interval_ns_ = session.config.async_interval_ns;
  frames_ = map_array<Frame>(WalkBuffer::kFrames);
  next_looks_ = map_array<i64>(ThreadRegistry::kMaxSlabs * ThreadRegistry::kSlabRecords);
  if (!frames_ || !next_looks_) return false;
  start_timers();
  if (group_ == kAllGroups || group_ == kNativeGroup) natives_.init(session, runtime, timers_);
  return true;
}

void ExternalSampler::release() {
  natives_.release();
  stop_timers();
  unmap_array(frames_, WalkBuffer::kFrames);
  unmap_array(next_looks_, ThreadRegistry::kMaxSlabs * ThreadRegistry::kSlabRecords);
}

// ---------------------------------------------------------------- timers

void ExternalSampler::start_timers() {
  if (!runtime_->can_walk_here()) return;
  if (!session_->config.wants(SampleKind::CpuTimer)) {
    session_->report_hook(kTimersHook, HookState::Off, "not asked for");
    return;
  }
  const char* why = timers_.start(*session_, *runtime_);
  session_->report_hook(kTimersHook, why ? HookState::Failed : HookState::Installed, why);
  session_->has_timers.store(!why);
  next_check_ns_ = now_ns() + kNsPerSecond;
}

// Another profiler that came later may have taken the signal: it is left to it.
void ExternalSampler::check_timers() {
  if (!timers_.running() || now_ns() < next_check_ns_) return;
  next_check_ns_ = now_ns() + kNsPerSecond;
  if (timers_.still_ours()) return;
  timers_.stop();
  session_->has_timers.store(0);
  session_->report_hook(kTimersHook, HookState::Failed, "another profiler has taken the signal since");
}

void ExternalSampler::stop_timers() {
  if (!timers_.running()) return;
  timers_.stop();
  session_->report_hook(kTimersHook, HookState::Removed);
}

void ExternalSampler::run(i64 notice_ns, Atomic<u32>& looked) {
  tick();
  looked.add(1);
  while (!asked_to_end_.load()) wait(min_of(tick(), notice_ns));
}

// So long, or until a thread is due; where none will be, until it is asked to end.
void ExternalSampler::wait(i64 ns) {
  if (timers_.running())
    timers_.wait(ns, asked_to_end_);
  else
    wait_while(asked_to_end_, 0, ns);
}

// ---------------------------------------------------------------- looks

// Walks those that are due, and has one look at everybody whose time has come. Returns how long to wait, ns.
i64 ExternalSampler::tick() {
  check_timers();
  if (timers_.running())
    while (ThreadRecord* record = asked_to_end_.load() ? nullptr : timers_.take_due()) {
      if (i64 time_ns = record->timer.provisional_ns.exchange(0)) {
        if (is_watched(*record)) complete(*record, time_ns);
        continue;
      }
      u64 tick = tick_now();
      // On a busy machine one that ran when it was marked may wait by now: then its next interrupt stands for that
      // time as well.
      bool runs = is_watched(*record) && !record->wait.published_since_ns.load_acquire() &&
                  now_ns() >= record->sampler.rest_until_ns;
      i64 cpu = runs ? thread_cpu_ns(record->tid.load_relaxed()) : -1;
      if (cpu >= 0) walk(*record, tick, now_ns(), cpu, kFlagAtWork);
    }
  natives_.tick(now_ns());
  if (now_ns() >= next_round_ns_) {
    i64 begin = now_ns();
    i64 begin_cpu = own_cpu_ns();
    runtime_->find_new_threads(*session_, begin);
    i64 first_due = look_at_all();
    i64 cost = own_cpu_ns() - begin_cpu;
    if (looks_) mean_look_ns_ = (mean_look_ns_ * 3 + cost / looks_) / 4;
    const i64 longest = max_of(kLongestLookNs, interval_ns_);
    const i64 next = timers_.running() ? begin + min_of(session_->agent_stretched(interval_ns_), longest)
                                       : max_of(begin + interval_ns_, min_of(first_due, begin + longest));
    next_round_ns_ = max_of(next, for_rounds_.charge(now_ns(), cost));
  }
  return max_of<i64>(next_round_ns_ - now_ns(), kNsPerMs / 10);
}

bool ExternalSampler::is_watched(ThreadRecord& record) {
  return record.state.load_acquire() == ThreadRecord::State::Live && record.busy.load_relaxed() != Holder::Never &&
         record.runtime_ref.load_relaxed() && (!session_->config.main_only || record.is_main) &&
         (group_ == kAllGroups || group_ == group_of(record));
}

// Returns when the first of them is to be looked at again.
i64 ExternalSampler::look_at_all() {
  const u32 slots = g_threads.slots();
  const u32 changes = g_threads.changes();
  const bool all = changes != met_changes_ || slots != met_slots_;
  if (all) watched_ = 0;
  const i64 begin = now_ns();
  i64 first_due = begin + kLongestLookNs;
  looks_ = 0;
  for (u32 slot = 0; slot < slots && !asked_to_end_.load(); slot++) {
    if (!all && next_looks_[slot] > begin) {
      first_due = min_of(first_due, next_looks_[slot]);
      continue;
    }
    ThreadRecord& record = g_threads.at(slot);
    if (!is_watched(record)) {
      if (!natives_.has(record)) timers_.unwatch(record);
      const bool comes = record.state.load_acquire() == ThreadRecord::State::Live && !record.runtime_ref.load_relaxed();
      next_looks_[slot] = begin + (comes ? interval_ns_ : kLongestLookNs);
      continue;
    }
    if (all) watched_++;
    meet(record);
    if (next_looks_[slot] <= begin) {
      look(record);
      looks_++;
    }
    first_due = min_of(first_due, next_looks_[slot]);
  }
  if (asked_to_end_.load()) return first_due;
  met_changes_ = changes;
  met_slots_ = slots;
  return first_due;
}

i64 ExternalSampler::longest_look_ns() const {
  const i64 longest = max_of(kLongestLookNs, interval_ns_);
  if (!timers_.running()) return longest;
  const i64 of_many = min_of(mean_look_ns_ * kPausePerLook * i64{watched_}, kLongestOfManyNs);
  return max_of(session_->agent_stretched(longest), of_many);
}

void ExternalSampler::look_less(ThreadRecord& record, i64 now) {
  const i64 longest = longest_look_ns();
  record.sampler.look_interval_ns =
      min_of(record.sampler.look_interval_ns * 2,
             record.loop.load_relaxed() ? min_of(longest, kLongWaitOfWatchedNs) : longest);
  look_next(record, now + record.sampler.look_interval_ns);
}

void ExternalSampler::look_next(ThreadRecord& record, i64 at_ns) {
  next_looks_[record.slot] = at_ns;
}

// What an other-thread walk has cost: of the agent's thread its CPU time. One that works walks itself, which takes as
// long as its own captures do.
Capture::OtherThreadCost ExternalSampler::cost_so_far(const ThreadRecord& record, i64 begin_cpu_ns, bool at_work) {
  return {begin_cpu_ns, at_work ? i64{record.held.mean_cost_ns} : 0};
}

void ExternalSampler::meet(ThreadRecord& record) {
  if (record.sampler.session == session_->id) return;
  record.sampler.session = session_->id;
  record.walked.cpu_ns.store_relaxed(-1);
  record.sampler.cpu_ns = -1;
  record.sampler.stand_due_ns = record.sampler.rest_until_ns = 0;
  record.sampler.stand_interval_ns = interval_ns_;
  look_next(record, 0);
  record.sampler.look_interval_ns = interval_ns_;
}

void ExternalSampler::look(ThreadRecord& record) {
  // In this order: a capture of the thread's own between the two makes this look pointless, not earlier than it.
  u64 tick = tick_now();
  i64 now = now_ns();
  look_next(record, now + interval_ns_);
  bool has_timer = timers_.running() && timers_.watch(record);
  bool adopted = record.session.load_acquire() == session_->id;
  if (adopted && tick - record.held.evidence_tick.load_relaxed() < ns_to_ticks(interval_ns_)) return;
  i64 published_since = record.wait.published_since_ns.load_acquire();
  const i64 long_wait_ns = record.loop.load_relaxed() ? kLongWaitOfWatchedNs : kLongWaitNs;
  if (published_since && now - published_since < long_wait_ns) {
    // There is nothing to do before the wait is over or long: a program of a thousand sleeping threads costs nothing.
    look_less(record, now);
    return;
  }
  i64 cpu = thread_cpu_ns(record.tid.load_relaxed());
  if (cpu < 0) return;
  i64 looked_cpu = record.sampler.cpu_ns;
  record.sampler.cpu_ns = cpu;
  if (cpu == record.walked.cpu_ns.load_relaxed() && record.walked.epoch.load_relaxed() == session_->stacks.epoch())
    stand(record, tick, now, cpu);
  else if (!has_timer || looked_cpu < 0 || cpu == looked_cpu || stands_between(record, now))
    walk(record, tick, now, cpu, timers_.running() && !has_timer && cpu != looked_cpu ? kFlagAtWork : 0);
}

// Of a thread that has worked since it was looked at, and waits now for what is no point: input, as a rule. Those who
// do so between short pieces of work would never be seen there. There may be many such threads: each is looked at no
// oftener than the budget has it.
bool ExternalSampler::stands_between(ThreadRecord& record, i64 now) {
  if (now < record.sampler.stand_due_ns) return false;
  const bool runs = thread_runs(record.tid.load_relaxed());
  // To ask the kernel costs more than a look. One that runs all the time is asked about less and less often.
  i64& stand_interval_ns = record.sampler.stand_interval_ns;
  stand_interval_ns = runs ? min_of(stand_interval_ns * 2, longest_look_ns()) : interval_ns_;
  record.sampler.stand_due_ns = now + max_of(record.sampler.stand_interval_ns, session_->agent_stretched(interval_ns_));
  return !runs;
}

void ExternalSampler::stand(ThreadRecord& record, u64 tick, i64 now, i64 cpu) {
  look_less(record, now);
  const u32 stack = record.walked.stack.load_relaxed();
  if (stack == kNoStack) return;
  Capture capture;
  if (!capture.begin_for_other_thread(&record, SampleKind::ExternalSampler, now, tick, {})) return;
  capture.row().cpu_ns = cpu;
  capture.row().counters |= kCounterCpu;
  WalkNotes{record.walked.flags.load_relaxed(), record.walked.loop_message.load_relaxed()}.tell(capture.row());
  capture.commit_node(stack, Capture::Stack::Repeat);
}

void ExternalSampler::complete(ThreadRecord& record, i64 time_ns) {
  OtherThreadWalk walk{i64{record.held.mean_cost_ns}, frames_, 0, 0, 0};
  WalkNotes notes;
  notes.flags = kFlagSafepoint | kFlagAtWork;
  walk.count = static_cast<u32>(max_of(runtime_->walk_other_thread(record, frames_, WalkBuffer::kFrames, notes), 0));
  walk.loop_message = notes.loop_message;
  walk.flags = notes.flags;
  complete_pending(*session_, record, time_ns, walk);
}

void ExternalSampler::walk(ThreadRecord& record, u64 tick, i64 now, i64 cpu, u16 at_work) {
  record.sampler.look_interval_ns = interval_ns_;
  record.walked.cpu_ns.store_relaxed(-1);
  const i64 begin_cpu_ns = own_cpu_ns();
  WalkNotes notes;
  notes.flags = kFlagSafepoint;
  i32 frames = runtime_->walk_other_thread(record, frames_, WalkBuffer::kFrames, notes);
  if (const u64 budget = session_->config.budget_ppm) {
    const i64 rest_until_ns = now_ns() + (now_ns() - now) * 1000000 / static_cast<i64>(budget);
    // A stack that is deeper than there is room costs milliseconds, in the thread itself. It is due with each
    // interrupt, as no walk in the handler holds it.
    if (notes.flags & kFlagCut) record.sampler.rest_until_ns = rest_until_ns;
    // All others of the group waited for it.
    if (frames == Runtime::kTimedOut) look_next(record, rest_until_ns);
  }
  if (frames == Runtime::kWalkLater) return;
  if (frames == 0) {
    stands_at(record, kNoStack, notes, now, cpu);
    return;
  }
  Capture capture;
  if (!capture.begin_for_other_thread(&record, SampleKind::ExternalSampler, now, tick,
                             cost_so_far(record, begin_cpu_ns, at_work != 0)))
    return;
  if (frames < 0) {
    capture.lose(frames == Runtime::kTimedOut ? LossReason::SuspendTimeout : LossReason::WalkError);
    return;
  }
  capture.row().cpu_ns = cpu;
  capture.row().counters |= kCounterCpu;
  notes.tell(capture.row());
  capture.row().flags |= at_work;
  if (const u32 due = at_work ? record.timer.due_intervals.exchange(0) : 0) capture.row().overruns = due - 1;
  u32 count = static_cast<u32>(frames);
  Frame natives[NativeStacks::kMost];
  const u32 room = min_of(NativeStacks::kMost, WalkBuffer::kFrames - count);
  const u32 found = session_->stacks.natives(frames_, count, record.held.last, natives, room);
  // One that waits for a processor is where it was interrupted: what a walk from here cannot see of it is known.
  if (found && thread_runs(record.tid.load_relaxed())) {
    memmove(frames_ + found, frames_, count * sizeof *frames_);
    memcpy(frames_, natives, found * sizeof *natives);
    count += found;
  }
  const u32 stack = capture.node_of(frames_, count);
  capture.commit_node(stack);
  if (stack) stands_at(record, stack, notes, now, cpu);
}

void ExternalSampler::stands_at(ThreadRecord& record, u32 stack, const WalkNotes& notes, i64 now, i64 cpu) {
  const u32 epoch = stack ? session_->stacks.epoch_of(stack) : session_->stacks.epoch();
  record.walked.ns.store_release(now);
  record.walked.session.store_release(session_->id);
  record.walked.epoch.store_release(epoch);
  record.walked.stack.store_release(stack);
  record.walked.flags.store_release(notes.flags);
  record.walked.loop_message.store_release(notes.loop_message);
  record.walked.cpu_ns.store_release(cpu);
}

namespace {

// Less is not worth a walk; all walks together may take so long, for on a busy machine each waits for its thread.
constexpr i64 kWorthLastWalkNs = kNsPerMs;
constexpr i64 kLastWalksNs = 100 * kNsPerMs;

bool has_worked_since_its_last_row(ThreadRecord& record, i64 now, u64 tick, i64 cpu) {
  Capture capture;
  if (!capture.begin_for_other_thread(&record, SampleKind::ExternalSampler, now, tick, {})) return false;
  return cpu - told_cpu_ns(record.held) >= kWorthLastWalkNs;
}

}  // namespace

void tell_last_work(Session& session, Runtime& runtime) {
  if (!session.has_timers.load()) return;
  Frame* frames = map_array<Frame>(WalkBuffer::kFrames);
  const i64 until = now_ns() + kLastWalksNs;
  for (u32 slot = 0, slots = g_threads.slots(); frames && slot < slots && now_ns() < until; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.state.load_acquire() != ThreadRecord::State::Live || record.busy.load_relaxed() == Holder::Never) continue;
    if (!record.runtime_ref.load_relaxed() || record.session.load_acquire() != session.id) continue;
    // The row of its wait will tell what it did before.
    if (record.wait.published_since_ns.load_acquire()) continue;
    const u64 tick = tick_now();
    const i64 now = now_ns(), begin_cpu_ns = own_cpu_ns();
    const i64 cpu = thread_cpu_ns(record.tid.load_relaxed());
    if (cpu < 0 || !has_worked_since_its_last_row(record, now, tick, cpu)) continue;
    const u16 at_work = thread_runs(record.tid.load_relaxed()) ? kFlagAtWork : 0;
    WalkNotes notes;
    notes.flags = kFlagSafepoint;
    const i32 count = runtime.walk_other_thread(record, frames, WalkBuffer::kFrames, notes);
    Capture capture;
    if (count <= 0 || !capture.begin_for_other_thread(&record, SampleKind::ExternalSampler, now, tick, {begin_cpu_ns, 0})) continue;
    capture.row().cpu_ns = cpu;
    capture.row().counters |= kCounterCpu;
    notes.tell(capture.row());
    capture.row().flags |= at_work;
    capture.commit_node(capture.node_of(frames, static_cast<u32>(count)));
  }
  unmap_array(frames, WalkBuffer::kFrames);
}

}  // namespace btrace
