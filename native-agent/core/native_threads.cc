#include "core/native_threads.h"

#include "base/clock.h"
#include "core/waits.h"
#include "os/machine.h"
#include "os/tasks.h"

namespace btrace {

namespace {

constexpr const char* kHook = "native threads";
constexpr const char* kCounted = "they are counted, and where they work is not seen";
// The list of threads is read no oftener than this. Not at all where the process used less CPU time since: whoever came
// has done nothing yet.
constexpr i64 kScanEveryNs = 50 * kNsPerMs;
// While their number stays as it is, one may still have come for one that went: then it costs this share of a core.
constexpr i64 kPausePerQuietScan = 4000;
constexpr i64 kWorthScanNs = kNsPerMs;
// So many are looked at, so often; each look is a system call of some 400 ns.
constexpr i64 kLookEveryNs = 100 * kNsPerMs;
constexpr i64 kPatientLookEveryNs = kNsPerSecond;
constexpr u32 kLooks = 64;
// A thread that has used less has no timer and no row.
constexpr i64 kWorthRowNs = kNsPerMs;

bool is_native(const Session& session, const ThreadRecord& record) {
  return record.native.session.load_relaxed() == session.id && !record.runtime_ref.load_relaxed() &&
         record.state.load_acquire() == ThreadRecord::State::Live;
}

// A wait has a row of its own: what the thread has used, it used before.
i64 worked_until(const Session& session, const ThreadRecord& record, i64 now) {
  SampleKind kind;
  Wait wait;
  if (!read_published_wait(record, kind, wait) || session.since_origin(wait.begin_ns) <= record.held.stood_ns) return now;
  return min_of(wait.begin_ns, now);
}

// A row that says how much CPU time a thread has used, at the frame that all its stacks begin with.
void stand(const Session& session, ThreadRecord& record, i64 now, i64 cpu) {
  Capture capture;
  const u64 tick = tick_now();
  const i64 end = worked_until(session, record, now);
  if (!capture.begin_for_other_thread(&record, SampleKind::ExternalSampler, end, tick, {})) return;
  capture.row().cpu_ns = cpu;
  capture.row().counters |= kCounterCpu;
  const u32 node = capture.stood_until_now({record.native.root, -1});
  capture.commit_node(node, Capture::Stack::Repeat);
}

}  // namespace

void NativeThreads::init(Session& session, Runtime& runtime, CpuTimers& timers) {
  session_ = &session;
  runtime_ = &runtime;
  timers_ = &timers;
  if (session.config.main_only || !can_tell() || !runtime.native_thread("").root) return;
  known_ = map_array<Known>(kKnown);
  met_ = map_array<u32>(ThreadRegistry::kMaxSlabs * ThreadRegistry::kSlabRecords);
  if (!met_) release_memory();
  if (!known_) return session.report_hook(kHook, HookState::Failed, "no memory");
  session.report_hook(kHook, HookState::Installed, timers.running() ? nullptr : kCounted);
}

void NativeThreads::release() {
  if (!known_) return;
  release_memory();
  session_->report_hook(kHook, HookState::Removed);
}

void NativeThreads::release_memory() {
  unmap_array(known_, kKnown);
  unmap_array(met_, ThreadRegistry::kMaxSlabs * ThreadRegistry::kSlabRecords);
  met_count_ = 0;
}

bool NativeThreads::has(const ThreadRecord& record) const {
  return known_ && is_native(*session_, record);
}

void NativeThreads::tick(i64 now) {
  if (!known_ || !can_tell()) return;
  if (now >= next_scan_ns_) {
    next_scan_ns_ = now + kScanEveryNs;
    const i64 begin_cpu = own_cpu_ns();
    if (may_be_new(now)) {
      scan(now);
      const i64 cost = own_cpu_ns() - begin_cpu;
      next_scan_ns_ = max_of(now + kScanEveryNs, for_scans_.charge(now, cost));
      scan_anyway_ns_ = now + max_of(kScanEveryNs, cost * kPausePerQuietScan);
    }
  }
  if (now >= next_look_ns_) {
    next_look_ns_ = now + (session_->config.is_patient() ? kPatientLookEveryNs : kLookEveryNs);
    look_at_some(now);
  }
}

// The process's CPU clock adds up those of all its threads, so it is read last.
bool NativeThreads::may_be_new(i64 now) {
  const u32 count = task_count();
  if (count && count == counted_ && now < scan_anyway_ns_) return false;
  const i64 process_cpu_ns = clock_ns(kClockProcessCpu);
  if (scanned_ns_ && process_cpu_ns - process_cpu_ns_ < kWorthScanNs) return false;
  process_cpu_ns_ = process_cpu_ns;
  counted_ = count;
  return true;
}

NativeThreads::Known& NativeThreads::place_of(u32 tid) {
  // Tids that count up lie beside each other. One that has no room within so many takes another's place, which is met
  // anew then.
  constexpr u32 kProbes = 8;
  for (u32 probe = 0; probe < kProbes; probe++) {
    Known& known = known_[(tid + probe) % kKnown];
    if (known.tid == tid || !known.tid) return known;
  }
  return known_[tid % kKnown];
}

void NativeThreads::scan(i64 now) {
  scans_++;
  TaskList tasks;
  while (const u32 tid = tasks.next()) {
    Known& known = place_of(tid);
    if (known.tid == tid) {
      const ThreadRecord& record = g_threads.at(known.slot);
      if (record.tid.load_relaxed() == tid && record.state.load_acquire() == ThreadRecord::State::Live) {
        known.scan = scans_;
        continue;
      }
    }
    // A thread that has left the runtime is not a new one.
    const bool is_new = scanned_ns_ && known.tid != tid;
    known = {tid, 0, scans_};
    meet(tid, now, is_new);
  }
  scanned_ns_ = now;
  if (!tasks.is_whole()) return;
  for (u32 at = 0; at < met_count_; at++) {
    ThreadRecord& record = g_threads.at(met_[at]);
    if (!is_native(*session_, record)) continue;
    const Known& known = place_of(record.tid.load_relaxed());
    if (known.tid == record.tid.load_relaxed() && known.scan == scans_) continue;
    // The kernel ends its list early, and says nothing of it, when the thread that it was at ends just then.
    if (thread_cpu_ns(record.tid.load_relaxed()) < 0) end(record);
  }
}

void NativeThreads::meet(u32 tid, i64 now, bool is_new) {
  ThreadRecord* record = g_threads.obtain(tid);
  if (!record) {
    place_of(tid).tid = 0;
    return;
  }
  place_of(tid).slot = record->slot;
  if (record->busy.load_relaxed() == Holder::Never || record->runtime_ref.load_acquire()) return;
  if (record->native.session.load_relaxed() == session_->id) return;
  const i64 cpu = thread_cpu_ns(tid);
  if (cpu < 0) return;
  name(*record);
  // What came since the last scan has done all that it did since then.
  record->held.stood_ns = is_new ? session_->since_origin(scanned_ns_) : session_->since_origin(now);
  record->held.stood_cpu_ns = is_new ? 0 : cpu;
  record->held.has_stood = false;
  record->sampler.cpu_ns = record->held.stood_cpu_ns;
  record->native.session.store_release(session_->id);
  remember(record->slot);
  look(*record, now);
  if (runtime_->has_only_native_threads() && record->timer.tid != tid) let_interrupt(*record);
}

void NativeThreads::name(ThreadRecord& record) {
  KernelName::Text name{};
  thread_comm(record.tid.load_relaxed(), name, sizeof name);
  record.native.name.write(name);
  const NativeThread kind = runtime_->native_thread(name);
  record.native.root = kind.root;
  record.kind = kind.kind;
}

// A record that was met, let go and met again is there once.
void NativeThreads::remember(u32 slot) {
  for (u32 at = 0; at < met_count_; at++)
    if (met_[at] == slot) return;
  met_[met_count_++] = slot;
}

void NativeThreads::look_at_some(i64 now) {
  const u32 looks = min_of(met_count_, kLooks);
  for (u32 turn = 0; turn < looks && met_count_; turn++) {
    if (next_met_ >= met_count_) next_met_ = 0;
    ThreadRecord& record = g_threads.at(met_[next_met_]);
    if (!is_native(*session_, record)) {
      met_[next_met_] = met_[--met_count_];
      continue;
    }
    next_met_++;
    if (record.busy.load_relaxed() != Holder::Never) look(record, now);
  }
}

void NativeThreads::look(ThreadRecord& record, i64 now) {
  const i64 cpu = thread_cpu_ns(record.tid.load_relaxed());
  const i64 before = record.sampler.cpu_ns;
  // Another thread has its tid.
  if (cpu < before) return end(record);
  record.sampler.cpu_ns = cpu;
  const i64 untold = cpu - record.held.stood_cpu_ns;
  const bool is_young = session_->since_origin(now) - record.held.stood_ns < kNsPerSecond;
  if (is_young && untold < kWorthRowNs && runtime_->has_only_native_threads()) name(record);
  if (untold < kWorthRowNs) return;
  // When it was met it may have had the name of the thread that made it.
  if (!record.held.has_stood) name(record);
  if (record.timer.tid == record.tid.load_relaxed())
    timers_->watch(record);  // at the interval that the budget has now
  else if (!let_interrupt(record))
    return stand(*session_, record, now, cpu);
  // One that works tells by its interrupts; of one that has stopped some of its work is not told yet.
  if (cpu == before) stand(*session_, record, now, cpu);
}

bool NativeThreads::let_interrupt(ThreadRecord& record) {
  if (!timers_->running()) return false;
  if (!task_blocks_signal(record.tid.load_relaxed(), timers_->signal())) return timers_->watch(record);
  if (!some_block_)
    session_->report_hook(kHook, HookState::Installed,
                          "some threads block signals: they are counted, and where they work is not seen");
  some_block_ = true;
  return false;
}

void NativeThreads::end(ThreadRecord& record) {
  timers_->unwatch(record);
  const i64 cpu = record.sampler.cpu_ns;
  if (cpu - record.held.stood_cpu_ns >= kWorthRowNs) stand(*session_, record, now_ns(), cpu);
  record.native.session.store_relaxed(0);
  g_threads.end_unbound(record);
}

void tell_last_cpu(Session& session) {
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (!is_native(session, record) || record.busy.load_relaxed() == Holder::Never) continue;
    const i64 cpu = thread_cpu_ns(record.tid.load_relaxed());
    if (cpu - record.held.stood_cpu_ns >= kWorthRowNs) stand(session, record, now_ns(), cpu);
  }
}

}  // namespace btrace
