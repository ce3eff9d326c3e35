// ART's own callbacks: contended monitors, waits, parks, threads, phases. All are called while their thread is
// Runnable.
#include "base/clock.h"
#include "core/capture.h"
#include "core/recorder.h"
#include "rt/art/art.h"
#include "rt/art/class_key.h"
#include "rt/art/monitor_object.h"
#include "rt/art/points.h"

namespace btrace::art {

namespace {

constexpr i64 kExitWaitNs = 2 * kNsPerSecond;

ArtThread* self_now() {
  JNIEnv* env = g_art.internals.env();
  return env ? Internals::thread_of(env) : nullptr;
}

MonitorObjects g_monitor_objects;

void tell_class(const ArtMonitor* monitor, Blocked& block) {
  const Object* object = block.type ? nullptr : g_monitor_objects.of(monitor);
  if (object) block.type = class_key(object->klass);
}

void contended_locking(void*, ArtMonitor* monitor) {
  ArtThread* self = self_now();
  ThreadRecord* record = self ? my_record(self) : nullptr;
  if (!record) return;
  record->block = begin_block();
  Session* session = active_session();
  if (!record->block.session || !session) return;
  record->block.object = reinterpret_cast<u64>(monitor) & kIdentityBits;
  tell_class(monitor, record->block);
  const Internals& art = g_art.internals;
  ThreadRecord* owner = art.has(Need::MonitorOwner)
                            ? record_of_art_id(art.as<u32(ArtMonitor*)>(Need::MonitorOwner)(monitor))
                            : nullptr;
  if (owner && owner != record) {
    record->block.peer = index_in(*session, *owner);
    record->block.flags = kFlagOwnerEstimated;
  }
  announce_block(*record, SampleKind::Monitor, record->block);
}

void contended_locked(void*, ArtMonitor* monitor) {
  ArtThread* self = self_now();
  ThreadRecord* record = self ? my_record(self) : nullptr;
  if (!record) return;
  withdraw_block(*record);
  if (record->block.session) tell_class(monitor, record->block);
  end_block(self, record, SampleKind::Monitor);
}

void object_wait_start(void*, Object* const* handle, i64) {
  ArtThread* self = self_now();
  ThreadRecord* record = self ? my_record(self) : nullptr;
  if (record) begin_wait(*record, handle);
}

void monitor_wait_finished(void*, ArtMonitor*, bool) {
  ArtThread* self = self_now();
  ThreadRecord* record = self ? my_record(self) : nullptr;
  if (record) end_wait(self, *record);
}

void park_start(void*, bool, i64) {
  ArtThread* self = self_now();
  ThreadRecord* record = self ? my_record(self) : nullptr;
  if (!record) return;
  record->block = begin_block();
  if (record->block.session) announce_wait(*record, 0, SampleKind::Park, record->block);
}

void park_finished(void*, bool) {
  ArtThread* self = self_now();
  ThreadRecord* record = self ? my_record(self) : nullptr;
  if (!record) return;
  withdraw_wait(*record);
  record->block.peer = record->waker.load_acquire();
  const Blocked ended = record->block;
  link_to_waker(*record, ended, end_block(self, record, SampleKind::Park), LinkCertainty::Observed);
}

void class_load(void*, Object* const* java_class) {
  ArtThread* self = self_now();
  ThreadRecord* record = self ? my_record(self) : nullptr;
  if (!record) return;
  const auto reference = static_cast<u32>(reinterpret_cast<uintptr_t>(held_by(java_class)));
  capture_here(self, record, SampleKind::ClassLoad, {0, class_key(reference), 0}, false);
}

// ---------------------------------------------------------------- threads, the end

void thread_start(void*, ArtThread* self) {
  note_thread_start(self);
}

void thread_death(void*, ArtThread* self) {
  // One that was met from outside and was never captured by itself does not know its record.
  ThreadRecord* record = g_threads.mine_or_null();
  if (!record) record = g_threads.find_runtime(reinterpret_cast<u64>(self));
  if (record && record->busy.load() != Holder::Never) g_threads.end(*record, !session_is_open());
}

bool g_runtime_ends;
void (*g_when_ready)();

void next_phase(void*, u32 phase) {
  constexpr u32 kInit = 2, kDeath = 3;
  if (phase == kInit && g_when_ready) g_when_ready();
  if (phase != kDeath) return;
  // The caller is Runnable: whoever would suspend all threads now waits for it. The hooks end with the process.
  g_runtime_ends = true;
  finish_recording(EndReason::TargetExited, nullptr, kExitWaitNs);
}

// Destructors come first where the class declares them first, last where it declares them last.
const void* const kMonitorTable[] = {entry(contended_locking),     entry(contended_locked), entry(object_wait_start),
                                     entry(monitor_wait_finished), entry(no_destructor),    entry(no_destructor)};
const void* const kParkTable[] = {entry(park_start), entry(park_finished), entry(no_destructor), entry(no_destructor)};
const void* const kThreadTable[] = {entry(no_destructor), entry(no_destructor), entry(thread_start),
                                    entry(thread_death)};
void nothing(void*) {}
const void* const kClassTable26[] = {entry(no_destructor), entry(no_destructor), entry(nothing), entry(class_load),
                                     entry(nothing)};
const void* const kClassTable30[] = {entry(no_destructor), entry(no_destructor), entry(nothing), entry(nothing),
                                     entry(nothing),       entry(class_load),    entry(nothing)};
const void* const kPhaseTable[] = {entry(no_destructor), entry(no_destructor), entry(next_phase)};

struct Callback {
  const char* name;
  Need add;
  Need remove;
  // Nothing else is captured without: 0.
  u64 kinds;
  VirtualObject object;
  bool added;
};

constexpr u64 bit(SampleKind kind) {
  return 1ull << static_cast<u32>(kind);
}

// Added to a list, any number of others may be there.
Callback g_callbacks[] = {
    {"monitor",
     Need::AddMonitorCallback,
     Need::RemoveMonitorCallback,
     bit(SampleKind::Monitor) | bit(SampleKind::Wait),
     {kMonitorTable},
     false},
    {"park", Need::AddParkCallback, Need::RemoveParkCallback, bit(SampleKind::Park), {kParkTable}, false},
    {"class load",
     Need::AddClassCallback,
     Need::RemoveClassCallback,
     bit(SampleKind::ClassLoad),
     {nullptr},  // by version
     false},
    {"threads", Need::AddThreadCallback, Need::RemoveThreadCallback, 0, {kThreadTable}, false},
    {"phase", Need::AddPhaseCallback, Need::RemovePhaseCallback, 0, {kPhaseTable}, false},
};

// nullptr: not known. That a function is not found makes no old ART, for new ones hide many: old ones show how one thread
// is suspended.
const void* const* class_table(const Internals& art) {
  if (art.has(Need::DefineClassEvents)) return kClassTable30;
  const bool is_old = art.has(Need::SuspendByThreadId) && art.variant(Need::SuspendByThreadId) != kSuspendAttempt;
  return is_old ? kClassTable26 : nullptr;
}

bool wants_any(const Session& session, u64 kinds) {
  return !kinds || !session.config.kinds || (session.config.kinds & kinds);
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
  AllSuspended suspended(art, "btrace adds its callbacks");
  for (Callback& callback : g_callbacks) {
    if (callback.add == Need::AddClassCallback) callback.object.table = class_table(art);
    if (!wants_any(session, callback.kinds)) {
      session.report_hook(callback.name, HookState::Off, "not asked for");
    } else if (!art.has(callback.add) || !art.has(callback.remove)) {
      session.report_hook(callback.name, HookState::Missing, "this ART has no such callback");
    } else if (!callback.object.table) {
      session.report_hook(callback.name, HookState::Missing, "this ART does not show how it calls it");
    } else {
      if (!callback.added) art.as<void(u8*, void*)>(callback.add)(art.callbacks(), &callback.object);
      callback.added = true;
      const bool lacks_owner = callback.add == Need::AddMonitorCallback && !art.has(Need::MonitorOwner);
      session.report_hook(callback.name, HookState::Installed,
                          lacks_owner ? "without owners: this ART hides who has a monitor" : nullptr);
    }
  }
}

void remove_callbacks(Session& session) {
  const Internals& art = g_art.internals;
  bool any = false;
  for (const Callback& callback : g_callbacks) any |= callback.added;
  if (!any) return;
  AllSuspended suspended(art, "btrace removes its callbacks");
  for (Callback& callback : g_callbacks) {
    if (!callback.added) continue;
    art.as<void(u8*, void*)>(callback.remove)(art.callbacks(), &callback.object);
    callback.added = false;
    session.report_hook(callback.name, HookState::Removed);
  }
}

void Art::when_ready(void (*start)()) {
  // The runtime is found by its own symbol here: nothing has been explored yet. It has one thread: nobody is in its
  // way.
  if (!internals.has(Need::RuntimeInstance) || !internals.has(Need::RuntimeCallbacks) ||
      !internals.has(Need::AddPhaseCallback))
    return;
  internals.runtime = *internals.as<u8*>(Need::RuntimeInstance);
  g_when_ready = start;
  for (Callback& callback : g_callbacks) {
    if (callback.add != Need::AddPhaseCallback) continue;
    internals.as<void(u8*, void*)>(callback.add)(internals.callbacks(), &callback.object);
    callback.added = true;
  }
}

bool runtime_ends() {
  return g_runtime_ends;
}

}  // namespace btrace::art
