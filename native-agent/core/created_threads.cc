#include "core/created_threads.h"

#include "base/clock.h"
#include "core/capture.h"
#include "os/machine.h"
#include "os/process.h"

namespace btrace {

namespace {

// Threads between their creation and their first instruction. They are there as long as the process: a thread may begin
// after the recording has ended.
constexpr u32 kOnTheirWay = 256;
CreatedThread g_created[kOnTheirWay];
Atomic<u32> g_next;
Atomic<u32> g_unseen;

struct Start {
  void* (*run)(void*);
  void* argument;
};

void tell_created(const CreatedThread& created) {
  Session* session = active_session();
  if (!session || session->id != created.session) return;
  ThreadRecord* record = g_threads.obtain(own_tid());
  // With an index already it is the record of a thread before this one whose end nobody has seen yet.
  if (!record || !index_as(*session, *record, created.index)) return;
  record->begin_ns.store_relaxed(now_ns());
  // The creator's name, which it has until it takes another: it may be over before anybody asks again.
  KernelName::Text name{};
  own_comm(name);
  record->native.name.write(name);
  ThreadRecord* creator = g_threads.find(created.creator_tid);
  if (creator) record->creator.store_relaxed(index_in(*session, *creator));
  record->created_in.store_release(session->id);
}

[[gnu::noinline]] Start take(CreatedThread& created) {
  const Start start{created.run, created.argument};
  tell_created(created);
  created.is_taken.store_release(0);
  return start;
}

}  // namespace

CreatedThread* expect_thread(Session& session, void* (*run)(void*), void* argument) {
  const u32 first = g_next.add(1);
  for (u32 turn = 0; turn < kOnTheirWay; turn++) {
    CreatedThread& created = g_created[(first + turn) % kOnTheirWay];
    if (created.is_taken.load_relaxed() || created.is_taken.exchange(1)) continue;
    created.run = run;
    created.argument = argument;
    created.session = session.id;
    created.index = session.thread_count.add(1) + 1;
    created.creator_tid = own_tid();
    return &created;
  }
  g_unseen.add_relaxed(1);
  return nullptr;
}

void forget_expected(CreatedThread& created) {
  created.is_taken.store_release(0);
}

// Leaves no frame on the new thread's stack: it may outlive the recording, and libraries unwind their threads.
void* begin_created(void* created) {
  const Start start = take(*static_cast<CreatedThread*>(created));
#if defined(__clang__)
  [[clang::musttail]]
#endif
  return start.run(start.argument);
}

void end_created_threads(Session& session) {
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.created_in.load_acquire() != session.id || record.native.session.load_relaxed() == session.id) continue;
    if (record.state.load_acquire() != ThreadRecord::State::Live || record.bound.load_relaxed()) continue;
    if (thread_cpu_ns(record.tid.load_relaxed()) < 0) g_threads.end_unbound(record);
  }
}

u32 take_unseen_creations() {
  return g_unseen.exchange(0);
}

}  // namespace btrace
