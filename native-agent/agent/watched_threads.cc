#include "agent/watched_threads.h"

#include "base/clock.h"
#include "base/libc.h"
#include "base/pages.h"
#include "core/waits.h"
#include "os/machine.h"
#include "os/process.h"

namespace btrace {

namespace {

constexpr u32 kHashedFrames = 512;
constexpr u32 kSlots = ThreadRegistry::kMaxSlabs * ThreadRegistry::kSlabRecords;

// A thread may be met before it has run: who starts it tells of it. Its name is its creator's until it has run for a
// little.
constexpr i64 kNamedWithinCpuNs = kNsPerMs;
constexpr i64 kNamedWithinNs = 10 * kNsPerSecond;

// Threads that have loops everywhere, by the kernel's 15 bytes of their names.
constexpr const char* kKnownLoops[] = {"AWT-EventQueue-*", "JavaFX Application Thread"};

// By place. They live as long as the process: a record may point at one while its thread is no longer watched.
LoopLog g_logs[WatchedThreads::kMost];

// A name as the kernel cuts it.
bool matches(const char* comm, const char* pattern, size_t length) {
  constexpr size_t kCommLength = 15;
  const bool any_rest = length && pattern[length - 1] == '*';
  const size_t compared = min_of(any_rest ? length - 1 : length, kCommLength);
  return strncmp(comm, pattern, compared) == 0 && (any_rest || strlen(comm) == compared);
}

}  // namespace

LagStack lag_stack(const Session& session, u32 node) {
  LagStack stack{0, 0xcbf29ce484222325, node};
  u32 at = node;
  for (u32 depth = 0; at && depth < kHashedFrames; depth++) {
    const Node frame = session.stacks.at(at);
    if (!stack.innermost && !frame.is_native()) stack.innermost = frame.code;
    if (!frame.is_native()) stack.whole = (stack.whole ^ frame.code) * 0x100000001b3;
    if (frame.parent >= at) break;
    at = frame.parent;
  }
  return stack;
}

u32 newest_stack(const Session& session, const ThreadRecord& record) {
  if (record.session.load_acquire() != session.id) return 0;
  const u32 node = record.held.pending_stack.load_relaxed();
  return session.stacks.has(node) ? node : 0;
}

bool WatchedThreads::begin(const char* names, const LagLimits& limits, Runtime& runtime) {
  if (!asked_) asked_ = map_array<Asked>(kSlots);
  if (!asked_) return false;
  names_ = names;
  limits_ = limits;
  runtime_ = &runtime;
  session_ = 0;
  for (WatchedThread& thread : threads_) thread.record = nullptr;
  return true;
}

void WatchedThreads::end() {
  for (WatchedThread& thread : threads_)
    if (thread.record) unwatch(thread);
}

void WatchedThreads::enter(const Session& session) {
  if (session.id == session_) return;
  session_ = session.id;
  idle_.forget();
  end();
  changes_ = ~0u;
  memset(asked_, 0, kSlots * sizeof *asked_);
}

bool WatchedThreads::is_chosen(const ThreadRecord& record) const {
  char comm[32] = {};
  thread_comm(record.tid.load_relaxed(), comm, sizeof comm);
  for (const char* loop : kKnownLoops)
    if (matches(comm, loop, strlen(loop))) return true;
  for (const char* at = names_; *at;) {
    size_t length = 0;
    while (at[length] && at[length] != ',') length++;
    const bool is_main = length == 4 && strncmp(at, "main", 4) == 0;
    if (length && (is_main ? record.is_main : matches(comm, at, length))) return true;
    at += length + (at[length] == ',');
  }
  return false;
}

void WatchedThreads::watch(ThreadRecord& record, u32 tid) {
  for (u32 place = 0; place < kMost; place++) {
    WatchedThread& thread = threads_[place];
    if (thread.record) continue;
    thread = {};
    thread.record = &record;
    thread.tid = tid;
    thread.messages = MessageWatch(limits_.message_ns);
    thread.annealing = Annealing(limits_.look_ns);
    thread.cpu_ns = -1;
    g_logs[place].begin(limits_.message_ns);
    record.loop.store_release(&g_logs[place]);
    return;
  }
}

void WatchedThreads::unwatch(WatchedThread& thread) {
  // It may be another thread's record by now: then it points at none of ours.
  LoopLog* log = &g_logs[&thread - threads_];
  thread.record->loop.swap_if(log, nullptr);
  thread.record = nullptr;
}

// A thread that gives itself another name later is met by the next change, or not at all: chosen ones have theirs
// early.
void WatchedThreads::find() {
  for (WatchedThread& thread : threads_)
    if (thread.record && (thread.record->tid.load_relaxed() != thread.tid ||
                          thread.record->state.load_acquire() != ThreadRecord::State::Live))
      unwatch(thread);
  const u32 changes = g_threads.changes(), slots = g_threads.slots();
  if (changes == changes_ && slots == slots_) return;
  changes_ = changes;
  slots_ = slots;
  for (u32 slot = 0; slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    const u32 tid = record.tid.load_relaxed();
    Asked& asked = asked_[slot];
    if (asked.tid == tid && asked.is_named) continue;
    if (record.state.load_acquire() != ThreadRecord::State::Live) continue;
    if (!record.runtime_ref.load_relaxed()) {
      changes_ = ~0u;  // it is not met yet: its main thread is not known as such
      continue;
    }
    const i64 now = now_ns(), cpu_ns = thread_cpu_ns(tid);
    if (asked.tid != tid) asked = {tid, false, -1, now};
    // It names itself: not without running.
    const bool may_be_chosen = cpu_ns != asked.cpu_ns && is_chosen(record);
    asked.cpu_ns = cpu_ns;
    asked.is_named = may_be_chosen || cpu_ns >= kNamedWithinCpuNs || now - asked.since_ns >= kNamedWithinNs;
    if (may_be_chosen) watch(record, tid);
    if (!asked.is_named) changes_ = ~0u;
  }
}

void WatchedThreads::observe(const Session& session, i64 now) {
  for (WatchedThread& thread : threads_)
    if (thread.record) observe(session, thread, now);
}

void WatchedThreads::observe(const Session& session, WatchedThread& thread, i64 now) {
  ThreadRecord& record = *thread.record;
  LoopLog& log = g_logs[&thread - threads_];
  LoopLog::Entry entry;
  const bool is_exact = log.is_exact();
  const Stood stood = where_it_stood(session, record);
  while (log.next(entry)) {
    if (entry.stack == LoopLog::kMessage) {
      thread.messages.handled(entry.begin_ns, entry.end_ns);
      continue;
    }
    // The agent keeps a thread from walking itself while it walks that thread.
    const bool is_seen_in_it = stood.at_ns >= entry.begin_ns && stood.at_ns <= entry.end_ns;
    const u32 stack = entry.stack == LoopLog::kNotWalked && is_seen_in_it ? stood.stack : entry.stack;
    if (!is_exact && idle_.is_idle(session, *runtime_, stack)) thread.messages.waited(entry.begin_ns, entry.end_ns);
  }
  const i64 cpu_ns = thread_cpu_ns(record.tid.load_relaxed());
  const bool stands = cpu_ns == thread.cpu_ns;
  thread.cpu_ns = cpu_ns;
  const i64 waits_since_ns = record.wait.published_since_ns.load_acquire();
  // Where a sampler has walked the thread and it has used no CPU time since, it stands there still.
  const bool is_walked = stood.at_ns && stood.at_ns >= waits_since_ns && stood.cpu_ns == cpu_ns;
  const u32 node = is_walked ? stood.stack : newest_stack(session, record);
  const bool is_known = is_walked || !waits_since_ns;
  bool waits = false;
  thread.is_known = is_exact || is_known;
  const i64 unseen_since_ns = thread.unseen_since_ns;
  thread.unseen_since_ns = is_known ? 0 : unseen_since_ns ? unseen_since_ns : now;
  const bool is_idle = idle_.is_idle(session, *runtime_, node);
  if (is_exact) {
    const i64 since_ns = log.message_since_ns();
    thread.messages.handles_since(since_ns);
    waits = !since_ns;
  } else if (is_walked && is_idle) {
    // Seen there, with no CPU time used since. The newest row alone may be of a wait that it has left.
    thread.messages.waits_since(waits_since_ns ? waits_since_ns : now);
    waits = true;
  } else if (!waits_since_ns && !stands) {
    thread.messages.works_at(now);
  }
  // One that has just got a message was last seen where it waited for it.
  if (waits || !is_known || is_idle || !node) return;
  if (node != thread.stack.node) thread.stack = lag_stack(session, node);
  // It has stood there all the time that nobody had seen it: else what came before would seem to be the costlier.
  if (const i64 every_ns = limits_.stack_ns; every_ns && unseen_since_ns && waits_since_ns) {
    const i64 oldest_ns = now - every_ns * i64{RecentStacks::kStacks - 1};
    for (i64 at = max_of(max_of(unseen_since_ns, waits_since_ns), oldest_ns); at < now; at += every_ns)
      thread.stacks.add(at, thread.stack);
  }
  thread.stacks.add(now, thread.stack);
}

}  // namespace btrace
