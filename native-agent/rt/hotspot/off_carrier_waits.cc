// Waits of virtual threads: HotSpot says when one leaves its carrier and when it is on one again, as events that are
// extensions of JVMTI (JDK 21 and newer). An agent that was attached has made the JVM look for them already.
#include "core/off_carrier_waits.h"

#include "base/clock.h"
#include "base/libc.h"
#include "rt/hotspot/hotspot.h"

namespace btrace::hotspot {

namespace {

constexpr const char* kWaitsHook = "VirtualThread.park";
constexpr const char* kWakersHook = "VirtualThread.unpark";
constexpr const char* kNowAndThen = "looked now and then only, to stay within the budget: more waited than is shown";
constexpr const char* kMount = "com.sun.hotspot.events.VirtualThreadMount";
constexpr const char* kUnmount = "com.sun.hotspot.events.VirtualThreadUnmount";
// No header of before JDK 21 has its name.
constexpr jint kVirtualThreadEnd = 88;
// What an event costs, measured on the machine of docs/AGENT.md.
constexpr u64 kEventNs = 100;
// Of the session's memory, for those that wait.
constexpr u64 kPartOfMemory = 8;

struct Events {
  jint mount = -1, unmount = -1;  // the JVM's numbers of them; below 0: they are not to be had
  const char* why_not = "this JVM does not tell when virtual threads are unmounted";
  bool on = false;
  u32 hops_before = 0;
  EventsPace pace;
};
Events g_events;

// 1 while they are on. Of `carried`, which they write, 0 is nothing heard yet.
Atomic<u32> g_hears;
constexpr u64 kNobody = ~u64{0};

// The virtual thread that the calling thread carries, as the program counts it.
u64 id_of(JNIEnv* env, const ThreadRecord& record, jthread thread) {
  const Jvm& jvm = g_hotspot.jvm;
  if (u64 id = jvm.id_on(record.runtime_thread.load_relaxed())) return id;
  return jvm.java_id_of(env, thread);
}

// Only JVMTI's walk sees those frames that have not come back from the heap yet.
i32 walk_virtual(Frame* frames, u32 limit, u16& flags) {
  return walk_thread(nullptr, frames, limit, flags);
}

template <class Tell>
void tell(JNIEnv* env, jthread thread, Tell tell_of) {
  ThreadRecord* record = active_session_id() ? g_threads.current_record() : nullptr;
  if (!record || !record->runtime_ref.load_relaxed()) return;
  record->own.hops.store_relaxed(record->own.hops.load_relaxed() + 1);
  if (!record->carries.load_relaxed()) meet_carrier(*record);
  tell_of(*record, id_of(env, *record, thread));
}

// Until all of them are on, one may be missed.
void note_carried(ThreadRecord& record, u64 id) { record.carried.store_relaxed(g_hears.load_relaxed() ? id : 0); }

void JNICALL on_unmount(jvmtiEnv*, JNIEnv* env, jthread thread) {
  tell(env, thread, [](ThreadRecord& record, u64 id) {
    note_carried(record, kNobody);
    virtual_thread_leaves(record, id, walk_virtual);
  });
}

void JNICALL on_mount(jvmtiEnv*, JNIEnv* env, jthread thread) {
  tell(env, thread, [](ThreadRecord& record, u64 id) {
    note_carried(record, id);
    virtual_thread_comes_back(record, id, walk_virtual);
  });
}

void JNICALL on_end(jvmtiEnv*, JNIEnv* env, jthread thread) {
  tell(env, thread, [](ThreadRecord& record, u64 id) {
    note_carried(record, kNobody);
    virtual_thread_ends(record, id);
  });
}

void find_events() {
  const Jvm& jvm = g_hotspot.jvm;
  g_events = {};
  jint count = 0;
  jvmtiExtensionEventInfo* events = nullptr;
  if (jvm.ti->GetExtensionEvents(&count, &events) != JVMTI_ERROR_NONE) return;
  for (jint i = 0; i < count; i++) {
    jvmtiExtensionEventInfo& event = events[i];
    if (strcmp(event.id, kMount) == 0) g_events.mount = event.extension_event_index;
    if (strcmp(event.id, kUnmount) == 0) g_events.unmount = event.extension_event_index;
    for (jint at = 0; at < event.param_count; at++) jvm.free(event.params[at].name);
    jvm.free(event.params);
    jvm.free(event.short_description);
    jvm.free(event.id);
  }
  jvm.free(events);
}

// Setting the callback is not enough: these are switched on like any other event.
bool set_events(bool on) {
  jvmtiEnv* ti = g_hotspot.jvm.ti;
  const auto mode = on ? JVMTI_ENABLE : JVMTI_DISABLE;
  // What was heard before they were off does not count any more.
  g_hears.store(0);
  for (u32 slot = 0, slots = on ? g_threads.slots() : 0; slot < slots; slot++) g_threads.at(slot).carried.store(0);
  const auto switch_event = [&](jint event) {
    return ti->SetEventNotificationMode(mode, static_cast<jvmtiEvent>(event), nullptr) == JVMTI_ERROR_NONE;
  };
  // Whoever leaves is told of first, so that nobody seems to come back from nowhere.
  g_events.on = switch_event(g_events.unmount) && switch_event(g_events.mount) && switch_event(kVirtualThreadEnd) && on;
  g_hears.store(g_events.on);
  return g_events.on == on;
}

bool set_event_callbacks() {
  const auto set = [](jint event, void(JNICALL * callback)(jvmtiEnv*, JNIEnv*, jthread)) {
    auto function = reinterpret_cast<jvmtiExtensionEvent>(callback);
    return g_hotspot.jvm.ti->SetExtensionEventCallback(event, function) == JVMTI_ERROR_NONE;
  };
  return set(g_events.unmount, on_unmount) && set(g_events.mount, on_mount);
}

u32 hops_so_far() {
  u32 sum = 0;
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) sum += g_threads.at(slot).own.hops.load_relaxed();
  return sum;
}

// A thread of the agent's own is the newest there is.
u64 newest_id(JNIEnv* env) {
  const Jvm& jvm = g_hotspot.jvm;
  jthread self = nullptr;
  if (!jvm.thread_id || jvm.ti->GetCurrentThread(&self) != JVMTI_ERROR_NONE) return 0;
  u64 id = jvm.java_id_of(env, self);
  env->DeleteLocalRef(self);
  return id;
}

}  // namespace

bool can_hear_of_hops() { return g_events.mount >= 0; }

bool hears_of_hops() { return g_hears.load_relaxed(); }

u64 carried_by_events(const ThreadRecord& record) {
  u64 id = hears_of_hops() ? record.carried.load_relaxed() : 0;
  return id == kNobody ? 0 : id;
}

void learn_carried(ThreadRecord& record, u64 id) {
  u64 nothing_yet = 0;
  if (hears_of_hops()) record.carried.swap_if(nothing_yet, id);
}

void set_virtual_thread_end(void** callbacks, u32 first_event) {
  callbacks[static_cast<u32>(kVirtualThreadEnd) - first_event] = reinterpret_cast<void*>(on_end);
}

void enable_off_carrier_waits(Session& session, JNIEnv* env) {
  g_events = {};
  if (!g_hotspot.jvm.carrier_end) return;
  if (!session.config.wants(SampleKind::OffCarrierWait)) {
    session.report_hook(kWaitsHook, HookState::Off, "not asked for");
    return;
  }
  find_events();
  session.first_new_id.store_relaxed(newest_id(env));
  g_events.hops_before = hops_so_far();
  if (g_events.mount >= 0 && g_events.unmount >= 0) {
    if (session.off_carrier_waits.init(session.config.memory_bytes / kPartOfMemory)) {
      session.off_carrier_waits.restart(now_ns());
      if (set_event_callbacks() && set_events(true)) return;
      set_events(false);
    } else {
      g_events.why_not = "there is no memory for waits of virtual threads";
    }
  }
  g_events.mount = g_events.unmount = -1;
}

void report_off_carrier_waits(Session& session) {
  if (!session.config.wants(SampleKind::OffCarrierWait)) return;
  if (g_events.mount < 0)
    session.report_hook(kWaitsHook, HookState::Missing, g_events.why_not);
  else
    session.report_hook(kWaitsHook, HookState::Installed);
  session.report_hook(kWakersHook, HookState::Missing, "who ends a virtual thread’s wait is not seen");
}

u64 pace_off_carrier_waits(Session& session, u64 cpu_ns) {
  if (g_events.mount < 0 || session.hook_state(kWaitsHook) != HookState::Installed) return 0;
  u32 hops_now = hops_so_far();
  // Threads that have ended took their count with them.
  u64 spent_ns = hops_now > g_events.hops_before ? (hops_now - g_events.hops_before) * kEventNs : 0;
  g_events.hops_before = hops_now;
  i64 now = now_ns();
  bool on = g_events.pace.step(session.config, now, spent_ns, cpu_ns);
  if (on == g_events.on) return spent_ns;
  if (on) session.off_carrier_waits.restart(now);
  set_events(on);
  if (!on) {
    session.off_carrier_waits.restart(INT64_MAX);
    session.report_hook(kWaitsHook, HookState::Installed, kNowAndThen);
    tell_of_pauses(session);
  }
  return spent_ns;
}

void disable_off_carrier_waits(Session& session) {
  if (g_events.mount >= 0) set_events(false);
  if (session.hook_state(kWaitsHook) == HookState::Installed) session.report_hook(kWaitsHook, HookState::Removed);
  g_events = {};
}

}  // namespace btrace::hotspot
