// Virtual threads. A carrier keeps its lane, and its rows say which virtual thread they belong to. What runs is seen as
// on any thread; what waits is off its carrier (off_carrier_waits.cc).
#include "base/libc.h"
#include "rt/hotspot/hotspot.h"

namespace btrace::hotspot {

namespace {

constexpr const char* kThreadsHook = "virtual threads";
constexpr const char* kUnknownBefore24 = "before JDK 24 which virtual thread ran is seen only with their waits";

// Whether one was met in this session.
Atomic<u32> g_met;

// JVMTI's capability has no name in the headers of JDKs before 21: it is the bit behind that of sampled allocations.
jvmtiCapabilities support_virtual_threads() {
  jvmtiCapabilities capabilities{};
  capabilities.can_generate_sampled_object_alloc_events = 1;
  u64 word;
  memcpy(&word, &capabilities, sizeof word);
  word <<= 1;
  memcpy(&capabilities, &word, sizeof word);
  return capabilities;
}

}  // namespace

u32 loop_message_of(ThreadRecord& record, u64 id) {
  if (!id || id == record.program_id.load_relaxed()) return 0;
  meet_carrier(record);
  // Of a program that has started four billion of them the lower half of the number is kept; 0 says that there is none.
  u32 loop_message = static_cast<u32>(id);
  return loop_message ? loop_message : 1;
}

void meet_carrier(ThreadRecord& record) {
  if (!record.carries.load_relaxed()) record.carries.store_relaxed(1);
  if (!g_met.load_relaxed()) g_met.store_relaxed(1);
}

void find_out_who_runs(JNIEnv* env, ThreadRecord& record) {
  const Jvm& jvm = g_hotspot.jvm;
  if (jvm.tells_who_runs() || !hears_of_hops() || record.carried.load_relaxed()) return;
  jthread self = nullptr;
  if (!jvm.thread_id || jvm.ti->GetCurrentThread(&self) != JVMTI_ERROR_NONE) return;
  u64 id = jvm.java_id_of(env, self);
  env->DeleteLocalRef(self);
  learn_carried(record, id);
}

void prepare_virtual_threads(Session&) {
  g_met.store(0);
  Jvm& jvm = g_hotspot.jvm;
  if (!jvm.carrier_end) return;
  jvmtiCapabilities support = support_virtual_threads();
  if (jvm.ti->AddCapabilities(&support) != JVMTI_ERROR_NONE) return;
  jint count = 0;
  jvmtiExtensionFunctionInfo* functions = nullptr;
  if (jvm.ti->GetExtensionFunctions(&count, &functions) != JVMTI_ERROR_NONE) return;
  for (jint i = 0; i < count; i++) {
    jvmtiExtensionFunctionInfo& function = functions[i];
    if (strcmp(function.id, "com.sun.hotspot.functions.GetVirtualThread") == 0)
      jvm.virtual_thread_on = reinterpret_cast<decltype(jvm.virtual_thread_on)>(function.func);
    for (jint at = 0; at < function.param_count; at++) jvm.free(function.params[at].name);
    jvm.free(function.params);
    jvm.free(function.errors);
    jvm.free(function.short_description);
    jvm.free(function.id);
  }
  jvm.free(functions);
}

void report_virtual_threads(Session& session) {
  static u32 reported_session;
  if (reported_session == session.id || !g_met.load_relaxed()) return;
  reported_session = session.id;
  if (!g_hotspot.jvm.tells_who_runs() && !can_hear_of_hops())
    session.report_hook(kThreadsHook, HookState::Missing, kUnknownBefore24);
  else if (!g_hotspot.jvm.virtual_thread_on)
    session.report_hook(kThreadsHook, HookState::Missing,
                        "this JVM does not let other threads walk their stacks");
  else
    session.report_hook(kThreadsHook, HookState::Installed);
  report_off_carrier_waits(session);
}

void tell_of_pauses(Session& session) {
  if (!g_hotspot.jvm.tells_who_runs())
    session.report_hook(kThreadsHook, HookState::Installed, "which one ran was seen now and then only");
}

void release_virtual_threads(Session& session) {
  if (session.hook_state(kThreadsHook) == HookState::Installed) session.report_hook(kThreadsHook, HookState::Removed);
  Jvm& jvm = g_hotspot.jvm;
  jvm.virtual_thread_on = nullptr;
  if (!jvm.carrier_end) return;
  jvmtiCapabilities support = support_virtual_threads();
  jvm.ti->RelinquishCapabilities(&support);
}

i32 walk_carried(ThreadRecord& record, jthread carrier, Frame* frames, u32 limit, WalkNotes& notes) {
  const Jvm& jvm = g_hotspot.jvm;
  JNIEnv* env = jvm.env();
  jthread carried = nullptr;
  if (!env || jvm.virtual_thread_on(jvm.ti, carrier, &carried) != JVMTI_ERROR_NONE) return Runtime::kWalkLater;
  if (!carried) {
    notes.loop_message = 0;
    return 0;
  }
  u64 id = jvm.java_id_of(env, carried);
  bool told = jvm.tells_who_runs() || hears_of_hops();
  if (!jvm.tells_who_runs()) learn_carried(record, id);
  i32 count = walk_thread(carried, frames, limit, notes.flags);
  env->DeleteLocalRef(carried);
  if (!told) return count > 0 ? count : Runtime::kWalkLater;
  // It may have left its carrier meanwhile: then this is where it waits, not what the carrier did.
  if (count <= 0 || other_id(record) != id) return Runtime::kWalkLater;
  notes.loop_message = loop_message_of(record, id);
  return count;
}

}  // namespace btrace::hotspot
