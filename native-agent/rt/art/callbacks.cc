// What ART calls when monitors are contended, when threads wait, park, begin and end, when classes are loaded and when
// its phase changes. All are called while their thread is Runnable.
#include "rt/art/callbacks.h"

#include "base/clock.h"
#include "core/recorder.h"
#include "core/wait_end.h"
#include "rt/art/art.h"
#include "rt/art/class_key.h"
#include "rt/art/monitor_object.h"
#include "rt/art/thread_state.h"
#include "rt/java/monitor_waits.h"

namespace btrace::art {

Atomic<u32> g_tells_of_threads;
Atomic<u32> g_tells_wrongly;
void (*g_when_ready)();

namespace {

constexpr i64 kExitWaitNs = 2 * kNsPerSecond;

ArtThread* self_now() {
  JNIEnv* env = g_art.internals.env();
  return env ? Internals::thread_of(env) : nullptr;
}

ListenerProof g_monitor_proof, g_park_proof, g_class_proof;

MonitorObjects g_monitor_objects;

const Object* tell_class(const ArtMonitor* monitor, Wait& wait) {
  const Object* object = wait.type ? nullptr : g_monitor_objects.of(monitor);
  if (object) wait.type = class_key(object->klass);
  return object;
}

void contended_locking(void*, ArtMonitor* monitor) {
  if (!g_monitor_proof.holds()) return;
  ArtThread* self = self_now();
  ThreadRecord* record = self ? my_record(self) : nullptr;
  if (!record) return;
  record->own.wait = begin_wait();
  Session* session = active_session();
  if (!record->own.wait.session || !session) return;
  record->own.wait.object = reinterpret_cast<u64>(monitor) & kIdentityBits;
  note_contended_monitor(*record, monitor_id(tell_class(monitor, record->own.wait)));
  const Internals& art = g_art.internals;
  ThreadRecord* owner = art.has(Need::MonitorOwner)
                            ? record_of_art_id(art.as<u32(ArtMonitor*)>(Need::MonitorOwner)(monitor))
                            : nullptr;
  if (owner && owner != record) {
    record->own.wait.peer = index_in(*session, *owner);
    record->own.wait.flags = kFlagOwnerEstimated;
  }
  begin_monitor_wait(*record);
  publish_wait(*record, SampleKind::Monitor, record->own.wait);
}

void contended_locked(void*, ArtMonitor* monitor) {
  if (!g_monitor_proof.holds()) return;
  ArtThread* self = self_now();
  ThreadRecord* record = self ? my_record(self) : nullptr;
  if (!record) return;
  const bool saw_release = end_monitor_wait(*record, record->own.wait);
  withdraw_wait(*record);
  if (record->own.wait.session) tell_class(monitor, record->own.wait);
  const Wait ended = record->own.wait;
  const i64 time_ns = end_wait(self, record, SampleKind::Monitor);
  if (saw_release) link_to_waker(*record, ended, time_ns, LinkCertainty::Observed);
}

void object_wait_start(void*, Object* const* handle, i64 ms) {
  if (!g_monitor_proof.holds()) {
    if (g_monitor_proof.is_asking() && ms == kProofWaitMs && is_proof_array(reference_in(handle)))
      g_monitor_proof.see(0);
    return;
  }
  ArtThread* self = self_now();
  ThreadRecord* record = self ? my_record(self) : nullptr;
  if (!record) return;
  capture_release_by_wait(self, *record, held_by(handle));
  begin_object_wait(*record, handle);
}

void monitor_wait_finished(void*, ArtMonitor*, bool) {
  if (!g_monitor_proof.holds()) {
    if (g_monitor_proof.is_asking()) g_monitor_proof.see(1);
    return;
  }
  ArtThread* self = self_now();
  ThreadRecord* record = self ? my_record(self) : nullptr;
  if (record) end_object_wait(self, *record);
}

void park_start(void*, bool is_absolute, i64 time) {
  if (!g_park_proof.holds()) {
    if (g_park_proof.is_asking() && !is_absolute && time == kProofParkNs) g_park_proof.see(0);
    return;
  }
  ArtThread* self = self_now();
  ThreadRecord* record = self ? my_record(self) : nullptr;
  if (!record) return;
  record->own.wait = begin_wait();
  if (record->own.wait.session) publish_wait_for(*record, 0, SampleKind::Park, record->own.wait);
}

void park_finished(void*, bool) {
  if (!g_park_proof.holds()) {
    if (g_park_proof.is_asking()) g_park_proof.see(1);
    return;
  }
  ArtThread* self = self_now();
  ThreadRecord* record = self ? my_record(self) : nullptr;
  if (!record) return;
  withdraw_wait_for(*record);
  const Wait ended = record->own.wait;
  record->own.wait.session = 0;
  capture_linked_wait(*record, ended, LinkCertainty::Observed, [&](const Wait& ended_wait) {
    return end_wait(self, record, SampleKind::Park, ended_wait, false);
  });
}

void class_load(void*, Object* const* java_class) {
  if (!g_class_proof.holds()) {
    if (g_class_proof.is_asking() && is_class_object(reference_in(java_class))) g_class_proof.see(0);
    return;
  }
  ArtThread* self = self_now();
  ThreadRecord* record = self ? my_record(self) : nullptr;
  if (!record) return;
  const auto reference = static_cast<u32>(reinterpret_cast<uintptr_t>(held_by(java_class)));
  capture_here(self, record, SampleKind::ClassLoad, {0, class_key(reference), 0}, false);
}

// ---------------------------------------------------------------- threads, the end

bool is_told_by_itself(const ArtThread* self) {
  if (self != self_now()) g_tells_wrongly.store_relaxed(1);
  return !g_tells_wrongly.load_relaxed();
}

ThreadState* own_state() {
  const ThreadRecord* record = g_threads.current_record_or_null();
  return record ? thread_state(*record) : nullptr;
}

void thread_start(void*, ArtThread* self) {
  if (!is_told_by_itself(self)) return;
  note_thread_start(self);
  if (ThreadState* state = own_state()) state->told_starts++;
}

void thread_death(void*, ArtThread* self) {
  if (!is_told_by_itself(self)) return;
  // One that was met by the external sampler and was never captured by itself does not know its record.
  ThreadRecord* record = g_threads.current_record_or_null();
  if (!record) record = g_threads.find_runtime(reinterpret_cast<u64>(self));
  if (record && record->busy.load() != Holder::Never) g_threads.end(*record, !session_is_open());
}

bool g_runtime_ends;

void next_phase(void*, u32 phase) {
  constexpr u32 kInit = 2, kDeath = 3;
  if (phase == kInit && g_when_ready) g_when_ready();
  if (phase != kDeath) return;
  // The caller is Runnable: whoever would suspend all threads now waits for it. The hooks end with the process.
  g_runtime_ends = true;
  finish_recording(EndReason::TargetExited, nullptr, kExitWaitNs);
}

void nothing(void*) {}
// Behind what is known: of a version that has more functions, which take an answer that changes nothing.
u64 unknown(void*) {
  return 0;
}

// Destructors come first where the class declares them first, last where it declares them last.
const void* const kMonitorTable[] = {entry(contended_locking),     entry(contended_locked), entry(object_wait_start),
                                     entry(monitor_wait_finished), entry(no_destructor),    entry(no_destructor),
                                     entry(unknown),               entry(unknown)};
const void* const kParkTable[] = {entry(park_start),    entry(park_finished), entry(no_destructor),
                                  entry(no_destructor), entry(unknown),       entry(unknown)};
const void* const kThreadTable[] = {entry(no_destructor), entry(no_destructor), entry(thread_start),
                                    entry(thread_death),  entry(unknown),       entry(unknown)};
const void* const kClassTable26[] = {entry(no_destructor), entry(no_destructor), entry(nothing), entry(class_load),
                                     entry(nothing),       entry(unknown),       entry(unknown)};
const void* const kClassTable30[] = {entry(no_destructor), entry(no_destructor), entry(nothing),
                                     entry(nothing),       entry(nothing),       entry(class_load),
                                     entry(nothing),       entry(unknown),       entry(unknown)};
const void* const kPhaseTable[] = {entry(no_destructor), entry(no_destructor), entry(next_phase), entry(unknown),
                                   entry(unknown)};

constexpr u64 bit(SampleKind kind) {
  return 1ull << static_cast<u32>(kind);
}

}  // namespace

Callback g_callbacks[kCallbacks] = {
    {"monitor",
     Need::AddMonitorCallback,
     Need::RemoveMonitorCallback,
     bit(SampleKind::Monitor) | bit(SampleKind::Wait),
     {kMonitorTable},
     false,
     &g_monitor_proof,
     false,
     2,
     wait_for_proof_array},
    {"park",
     Need::AddParkCallback,
     Need::RemoveParkCallback,
     bit(SampleKind::Park),
     {kParkTable},
     false,
     &g_park_proof,
     false,
     2,
     park_as_proof},
    {"class load",
     Need::AddClassCallback,
     Need::RemoveClassCallback,
     bit(SampleKind::ClassLoad),
     {nullptr},  // by version
     false,
     &g_class_proof,
     true,
     1,
     load_proof_class},
    {"threads",
     Need::AddThreadCallback,
     Need::RemoveThreadCallback,
     0,
     {kThreadTable},
     false,
     nullptr,
     false,
     0,
     nullptr},
    {"phase", Need::AddPhaseCallback, Need::RemovePhaseCallback, 0, {kPhaseTable}, false, nullptr, false, 0, nullptr},
};

// nullptr: not known. That a function is not found makes no old ART, for new ones hide many: old ones show how one thread
// is suspended.
const void* const* class_table(const Internals& art) {
  if (art.has(Need::DefineClassEvents)) return kClassTable30;
  const bool is_old = art.has(Need::SuspendByThreadId) && art.variant(Need::SuspendByThreadId) != kSuspendAttempt;
  return is_old ? kClassTable26 : nullptr;
}

bool tells_of_threads() {
  return g_tells_of_threads.load_acquire() && !g_tells_wrongly.load_relaxed();
}

void StartProof::begin() {
  asks_ = g_tells_of_threads.load_acquire() != 0;
  if (ThreadState* state = own_state()) state->told_starts = 0;
}

void StartProof::end() {
  const ThreadState* state = own_state();
  if (asks_ && state && g_tells_of_threads.load_acquire() && state->told_starts != 1) g_tells_wrongly.store_relaxed(1);
}

bool runtime_ends() {
  return g_runtime_ends;
}

}  // namespace btrace::art
