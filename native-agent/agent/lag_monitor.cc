#include "agent/lag_monitor.h"

#include "agent/lag_writer.h"
#include "agent/own_recording.h"
#include "agent/watched_threads.h"
#include "base/clock.h"
#include "base/libc.h"
#include "base/pages.h"
#include "base/spin.h"
#include "base/text_builder.h"
#include "os/file.h"
#include "os/machine.h"
#include "os/process.h"
#include "os/tasks.h"

namespace btrace {

namespace {

constexpr i64 kRestartNs = 60 * kNsPerSecond;  // of a recording that ended by itself
constexpr i64 kStackComesNs = 500 * kNsPerMs;  // of a thread that waits, as often as samplers look at those
constexpr i64 kTidyNs = 3600 * kNsPerSecond;

struct {
  LagSettings settings;
  Runtime* runtime;
  LagWriter writer;
  Atomic<u32> stop;
  Atomic<u32> running;
  Atomic<u64> lags;
} g_lag;
Spin g_lag_calls;

class Monitor {
 public:
  void run();

 private:
  void look(i64 now);
  void look_at_cpu(i64 now);
  void look_for_anr(i64 now);
  ThreadRecord* busiest();
  void write(i64 now, LagKind kind, ThreadRecord& record, const Lag& lag, const RecentStacks::Costliest& costliest,
             u32 unwritten);
  void restart_recording(i64 now);

  WatchedThreads threads_;
  CpuWatch cpu_{0};
  Annealing cpu_annealing_{0};
  u32 session_ = 0;               // the id of the one that all stacks here are of
  i64* cpu_before_ns_ = nullptr;  // by slot
  i64 next_stack_ns_ = 0, next_look_ns_ = 0, next_start_ns_ = 0, next_tidy_ns_ = 0;
  u32 dumper_ = 0;  // the tid of the runtime's thread that takes SIGQUIT; 0: not known
  i64 dumper_cpu_ns_ = 0;
  i64 next_dumper_ns_ = 0;
};
Monitor g_monitor;

constexpr u32 kSlots = ThreadRegistry::kMaxSlabs * ThreadRegistry::kSlabRecords;

// ---------------------------------------------------------------- a look

void Monitor::write(i64 now, LagKind kind, ThreadRecord& record, const Lag& lag,
                    const RecentStacks::Costliest& costliest, u32 unwritten) {
  g_lag.writer.write(now, {kind, record, lag, costliest, session_, unwritten, cpu_.percent()});
}

void Monitor::look(i64 now) {
  bool in_lag = false;
  for (WatchedThread& watched : threads_.places()) {
    if (!watched.record) continue;
    Lag lag;
    bool found = false;
    // Those that ended since the last look come first.
    while (watched.messages.look(now, lag, watched.is_known)) {
      found = true;
      in_lag = in_lag || !lag.end_ns;
      if (lag.is_new || watched.last_lag.begin_ns) watched.last_lag = lag;
      if (lag.is_new) g_lag.lags.add(1);
      const bool is_new = lag.is_new || watched.lacks_stack;
      if (is_new || watched.annealing.is_due(now)) {
        const auto costliest = watched.stacks.costliest(lag.begin_ns, lag.end_ns ? lag.end_ns : now);
        // A wait that has just begun was not walked yet.
        watched.lacks_stack = !costliest.of && !lag.end_ns && is_new &&
                              now - lag.begin_ns < g_lag.settings.limits.message_ns + kStackComesNs;
        if (watched.lacks_stack) break;
        const u64 stack = costliest.of ? costliest.stack.whole : 0;
        const u32 unwritten = watched.annealing.unwritten();
        if (watched.annealing.should_write(now, stack, is_new))
          write(now, LagKind::LongMessage, *watched.record, lag, costliest, unwritten);
      }
      if (!lag.end_ns) break;
    }
    if (!found && !watched.is_known) continue;
    // It went on at the last look, and has ended since.
    if (!found && watched.last_lag.begin_ns && !watched.last_lag.end_ns) watched.last_lag.end_ns = now;
    if (found) continue;
    watched.annealing.end();
    watched.lacks_stack = false;
  }
  look_at_cpu(now);
  look_for_anr(now);
  g_lag.writer.live(in_lag);
  if (now >= next_tidy_ns_) {
    next_tidy_ns_ = now + kTidyNs;
    g_lag.writer.tidy();
  }
}

ThreadRecord* Monitor::busiest() {
  ThreadRecord* found = nullptr;
  i64 most = -1;
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.state.load_acquire() != ThreadRecord::State::Live || record.busy.load_relaxed() == Holder::Never ||
        !record.runtime_ref.load_relaxed())
      continue;
    const i64 cpu_ns = thread_cpu_ns(record.tid.load_relaxed());
    const i64 used = cpu_ns - cpu_before_ns_[slot];
    cpu_before_ns_[slot] = cpu_ns;
    if (used > most) {
      most = used;
      found = &record;
    }
  }
  return found;
}

// Who uses the processors is only looked for when they are used: that asks for each thread's clock.
void Monitor::look_at_cpu(i64 now) {
  if (!g_lag.settings.limits.cpu_percent) return;
  const u32 above = cpu_.look(now, clock_ns(kClockProcessCpu));
  if (!above) return cpu_annealing_.end();
  ThreadRecord* record;
  RecentStacks stacks;
  {
    SessionReader reader;
    const Session* session = reader.session();
    if (!session || session->id != session_) return;
    record = busiest();
    if (above < CpuWatch::kLooks || !record) return;
    if (const u32 node = newest_stack(*session, *record)) stacks.add(now, lag_stack(*session, node));
  }
  const bool is_new = above == CpuWatch::kLooks;
  if (is_new) g_lag.lags.add(1);
  if (!is_new && !cpu_annealing_.is_due(now)) return;
  const auto costliest = stacks.costliest(0, now);
  const u32 unwritten = cpu_annealing_.unwritten();
  // A thread that computes is seen at another place each time: one file a stretch of it is enough.
  if (cpu_annealing_.should_write(now, costliest.of ? costliest.stack.innermost : 0, is_new) && is_new)
    write(now, LagKind::Busy, *record, {cpu_.since_ns(), 0, true}, costliest, unwritten);
}

// ---------------------------------------------------------------- not responding

// Android sends SIGQUIT to an app that does not respond. The runtime has a thread of its own that waits for it; that
// this thread has worked is all that is looked at, so nothing is taken from it. Others send the signal too: a file is
// written only if the main thread hangs, or did so within what the ring holds.
void Monitor::look_for_anr(i64 now) {
  constexpr char kDumper[] = "Signal Catcher";
  if (!dumper_ && now >= next_dumper_ns_) {
    next_dumper_ns_ = now + kRestartNs;
    TaskList tasks;
    while (u32 tid = tasks.next()) {
      char comm[32] = {};
      thread_comm(tid, comm, sizeof comm);
      if (strcmp(comm, kDumper) == 0) dumper_ = tid;
    }
    if (dumper_) dumper_cpu_ns_ = thread_cpu_ns(dumper_);
  }
  if (!dumper_) return;
  const i64 cpu_ns = thread_cpu_ns(dumper_);
  const bool has_worked = cpu_ns != dumper_cpu_ns_;
  dumper_cpu_ns_ = cpu_ns;
  if (cpu_ns < 0) dumper_ = 0;
  if (!has_worked || cpu_ns < 0) return;
  for (WatchedThread& watched : threads_.places()) {
    if (!watched.record || !watched.record->is_main || !watched.last_lag.begin_ns) continue;
    const Lag& lag = watched.last_lag;
    if (lag.end_ns && now - lag.end_ns > g_lag.settings.ring_ns) continue;
    const auto costliest = watched.stacks.costliest(lag.begin_ns, lag.end_ns ? lag.end_ns : now);
    write(now, LagKind::NotResponding, *watched.record, lag, costliest, 0);
    // Once for each hang, however often the system asks.
    watched.last_lag = {};
  }
}

// ---------------------------------------------------------------- the thread

OwnRecording recording_of(const LagSettings& settings) {
  OwnRecording recording{};
  Config& config = recording.config;
  const LagLimits& limits = settings.limits;
  // With stacks the ring has one of each thread for so much CPU time. Without, it shows little more than waits.
  config.sync_interval_ns = limits.stack_ns ? limits.stack_ns / 5 : 100 * kNsPerMs;
  config.async_interval_ns = limits.stack_ns ? limits.stack_ns : kNsPerSecond;
  config.budget_ppm = limits.stack_ns ? 3000 : 300;
  config.memory_bytes = 8 * kMiB;
  config.policy = Policy::Ring;
  config.ring_ns = settings.ring_ns;
  config.allocation_interval_bytes = 4 * kMiB;
  recording.max_bytes = 64 * kMiB;
  recording.is_for_dumps = true;
  return recording;
}

// What dumps need besides samples lies here while the watch runs.
const char* ring_path(char (&path)[kPathRoom]) {
  TextBuilder(path).add(g_lag.settings.folder).add("/lags.ring");
  return path;
}

i32 start_ring() {
  char path[kPathRoom];
  return start_own_recording(ring_path(path), recording_of(g_lag.settings), *g_lag.runtime);
}

void Monitor::restart_recording(i64 now) {
  if (own_recording_runs() || now < next_start_ns_) return;
  next_start_ns_ = now + kRestartNs;
  start_ring();
}

void Monitor::run() {
  const LagLimits& limits = g_lag.settings.limits;
  if (!cpu_before_ns_) cpu_before_ns_ = map_array<i64>(kSlots);
  if (!cpu_before_ns_ || !threads_.begin(g_lag.settings.threads, limits, *g_lag.runtime)) return;
  cpu_ = CpuWatch(limits.cpu_percent);
  cpu_annealing_ = Annealing(limits.look_ns);
  next_stack_ns_ = next_look_ns_ = now_ns();
  next_start_ns_ = next_tidy_ns_ = 0;
  const i64 tick_ns = limits.stack_ns ? limits.stack_ns : limits.look_ns;
  while (!g_lag.stop.load()) {
    const i64 now = now_ns();
    const bool looks = now >= next_look_ns_;
    if (looks) restart_recording(now);
    {
      SessionReader reader;
      if (const Session* session = reader.session()) {
        session_ = session->id;
        threads_.enter(*session);
        if (looks) threads_.find();
        threads_.observe(*session, now);
      }
    }
    if (looks) {
      look(now);
      next_look_ns_ = now + limits.look_ns;
    }
    next_stack_ns_ = now + tick_ns;
    wait_while(g_lag.stop, 0, max_of<i64>(min_of(next_stack_ns_, next_look_ns_) - now_ns(), kNsPerMs));
  }
  threads_.end();
}

void* lag_main(void*) {
  become_agent_thread("btrace lags");
  if (g_lag.runtime->enter_agent_thread("btrace lags")) {
    g_monitor.run();
    g_lag.runtime->leave_agent_thread();
  }
  g_lag.running.store(0);
  g_lag.writer.wake_takers();
  return nullptr;
}

}  // namespace

// ---------------------------------------------------------------- what the program calls

i32 start_lag_watch(const LagSettings& settings, Runtime& runtime) {
  SpinScope scope(g_lag_calls);
  if (g_lag.running.load()) return static_cast<i32>(LagResult::Watching);
  g_lag.settings = settings;
  g_lag.runtime = &runtime;
  if (!g_lag.writer.open(g_lag.settings, runtime)) return static_cast<i32>(LagResult::NoFolder);
  if (const i32 started = start_ring(); started != static_cast<i32>(OwnResult::Done)) {
    g_lag.writer.end(LastEnd::OwnExit);
    return started;
  }
  g_lag.stop.store(0);
  g_lag.running.store(1);
  unsigned long thread;
  if (libc::thread_create(&thread, nullptr, lag_main, nullptr) != 0) {
    g_lag.running.store(0);
    g_lag.writer.end(LastEnd::OwnExit);
    stop_own_recording();
    return static_cast<i32>(StartResult::NoThread);
  }
  libc::thread_detach(thread);
  return static_cast<i32>(LagResult::Done);
}

i32 stop_lag_watch(bool is_exit) {
  SpinScope scope(g_lag_calls);
  if (!g_lag.running.load()) return static_cast<i32>(OwnResult::NotRecording);
  g_lag.stop.store(1);
  wake_waiting(g_lag.stop, 1);
  // At an exit nobody waits: the state is written, and what comes after it changes nothing.
  if (!is_exit)
    for (const i64 until = now_ns() + 30 * kNsPerSecond; g_lag.running.load() && now_ns() < until;) sleep_ns(kNsPerMs);
  g_lag.writer.end(LastEnd::OwnExit);
  g_lag.writer.close();
  if (is_exit) return static_cast<i32>(LagResult::Done);
  const i32 stopped = stop_own_recording();
  char ring[kPathRoom];
  remove_file(ring_path(ring));
  return stopped;
}

i32 next_lag_file(char (&path)[kPathRoom], i64 wait_ns) {
  const u32 changes = g_lag.writer.changes();
  for (int tries = 0; tries < 2; tries++) {
    if (g_lag.writer.take(path)) return 1;
    if (!g_lag.running.load()) return -1;
    if (!tries) g_lag.writer.wait(changes, wait_ns);
  }
  return 0;
}

void lag_program_crashed() {
  g_lag.writer.end(LastEnd::Crash);
}

void lag_program_in_front(bool is_in_front) {
  g_lag.writer.set_in_front(is_in_front);
}

LastEnd last_end_of_program() {
  return g_lag.writer.last_end();
}

void correct_last_end_of_program(LastEnd end) {
  g_lag.writer.correct_last_end(end);
}

LagCounts lag_counts() {
  return {g_lag.lags.load(), g_lag.writer.written()};
}

}  // namespace btrace
