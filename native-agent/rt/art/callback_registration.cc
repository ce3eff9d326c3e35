// Puts the agent's callbacks into ART's lists while all threads stand still, proves them, and takes them out.
#include "base/clock.h"
#include "base/syscall.h"
#include "core/session.h"
#include "rt/art/art.h"
#include "rt/art/callbacks.h"

namespace btrace::art {

namespace {

// Holds all threads at their next safe point while it lives. The caller is attached and not Runnable.
class AllSuspended {
 public:
  AllSuspended(const Internals& art, Session& session, const char* why)
      : art_(art), session_(session), begin_ns_(now_ns()) {
    art.as<void(void*, const char*, bool)>(Need::SuspendAllBegin)(room_, why, false);
  }
  ~AllSuspended() {
    art_.as<void(void*)>(Need::SuspendAllEnd)(room_);
    session_.tells_stops.store_relaxed(1);
    session_.stopped_ns.add_relaxed(static_cast<u64>(now_ns() - begin_ns_));
  }
  AllSuspended(const AllSuspended&) = delete;
  AllSuspended& operator=(const AllSuspended&) = delete;

 private:
  const Internals& art_;
  Session& session_;
  // Threads stop one by one from here on.
  i64 begin_ns_;
  u8 room_[64];  // ScopedSuspendAll has no fields
};

bool wants_any(const Session& session, u64 kinds) {
  return !kinds || !session.config.kinds || (session.config.kinds & kinds);
}

// The caller has suspended all threads.
void add(Session& session, Callback& callback) {
  const Internals& art = g_art.internals;
  if (callback.add == Need::AddClassCallback) callback.object.table = class_table(art);
  if (!wants_any(session, callback.kinds)) {
    session.report_hook(callback.name, HookState::Off, "not asked for");
  } else if (!art.has(callback.add) || !art.has(callback.remove)) {
    session.report_hook(callback.name, HookState::Missing, "this ART has no such callback");
  } else if (!callback.object.table) {
    session.report_hook(callback.name, HookState::Missing, "this ART does not show how it calls it");
  } else {
    if (callback.proof && !callback.proven_once) callback.proof->forget();
    if (!callback.added) art.as<void(u8*, void*)>(callback.add)(art.callbacks(), &callback.object);
    callback.added = true;
    const bool lacks_owner = callback.add == Need::AddMonitorCallback && !art.has(Need::MonitorOwner);
    session.report_hook(callback.name, HookState::Installed,
                        lacks_owner ? "without owners: this ART hides who has a monitor" : nullptr);
  }
}

void take_out(Callback& callback) {
  const Internals& art = g_art.internals;
  art.as<void(u8*, void*)>(callback.remove)(art.callbacks(), &callback.object);
  callback.added = false;
}

// The first thread's flags before, during and after show which of them stops a thread.
template <class Body>
void with_all_suspended(Session& session, const char* why, Body body) {
  const ArtThread* witness = g_art.internals.places.main_thread;
  const u32 before = StopFlag::flags_of(witness);
  u32 during;
  {
    AllSuspended suspended(g_art.internals, session, why);
    during = StopFlag::flags_of(witness);
    body();
  }
  if (!g_stop_flag.is_known()) g_stop_flag.learn(before, during, StopFlag::flags_of(witness));
}

// The pause listener needs it. Another stop, as for a collection, may have been under way before or after ours: then
// ours does not show it.
void learn_stop_flag(Session& session) {
  constexpr u32 kTurns = 40;
  if (!session.config.wants(SampleKind::Gc) || !g_art.internals.places.main_thread) return;
  for (u32 turn = 0; turn < kTurns && !g_stop_flag.is_known(); turn++) {
    sys::sleep_ns(kNsPerMs);
    with_all_suspended(session, "btrace looks how threads are stopped", [] {});
  }
}

bool is_proven(Callback& callback) {
  if (!callback.added || !callback.proof || callback.proof->holds()) return true;
  return callback.proof->prove(callback.calls, [&] { callback.act(g_art.internals.env()); });
}

void take_out_unproven(Session& session) {
  bool unproven[kCallbacks] = {};
  bool any = false;
  for (Callback& callback : g_callbacks) {
    const bool proven = is_proven(callback);
    unproven[&callback - g_callbacks] = !proven;
    any |= !proven;
  }
  if (!any) return;
  AllSuspended suspended(g_art.internals, session, "btrace removes its callbacks");
  for (Callback& callback : g_callbacks) {
    if (!unproven[&callback - g_callbacks]) continue;
    take_out(callback);
    session.report_hook(callback.name, HookState::Failed, "this ART does not call it as it should");
  }
}

}  // namespace

void add_callbacks(Session& session) {
  const Internals& art = g_art.internals;
  if (!art.runtime || !art.has(Need::RuntimeCallbacks) || !art.has(Need::SuspendAllBegin) ||
      !art.has(Need::SuspendAllEnd)) {
    for (Callback& callback : g_callbacks)
      session.report_hook(callback.name, HookState::Missing, "the runtime's callbacks could not be found");
    return;
  }
  g_tells_wrongly.store_relaxed(0);
  with_all_suspended(session, "btrace adds its callbacks", [&] {
    for (Callback& callback : g_callbacks) add(session, callback);
  });
  learn_stop_flag(session);
  g_tells_of_threads.store_release(session.hook_state("threads") == HookState::Installed);
  take_out_unproven(session);
}

void remove_callbacks(Session& session) {
  bool any = false;
  for (const Callback& callback : g_callbacks) any |= callback.added;
  if (!any) return;
  g_tells_of_threads.store_release(0);
  AllSuspended suspended(g_art.internals, session, "btrace removes its callbacks");
  for (Callback& callback : g_callbacks) {
    if (!callback.added) continue;
    take_out(callback);
    if (callback.add == Need::AddThreadCallback && g_tells_wrongly.load_relaxed())
      session.report_hook(callback.name, HookState::Failed, "this ART does not call it as it should");
    else
      session.report_hook(callback.name, HookState::Removed);
  }
}

void Art::when_ready(void (*start)()) {
  // The runtime is found by its own symbol here: nothing has been explored yet. It has one thread: nobody is in its
  // way.
  if (!internals.has(Need::RuntimeInstance) || !internals.has(Need::RuntimeCallbacks) ||
      !internals.has(Need::AddPhaseCallback))
    return;
  if (internals.find_runtime()) return;
  g_when_ready = start;
  for (Callback& callback : g_callbacks) {
    if (callback.add != Need::AddPhaseCallback) continue;
    internals.as<void(u8*, void*)>(callback.add)(internals.callbacks(), &callback.object);
    callback.added = true;
  }
}

}  // namespace btrace::art
