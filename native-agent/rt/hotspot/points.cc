#include "base/libc.h"
#include "core/capture.h"
#include "core/recorder.h"
#include "rt/hotspot/hotspot.h"

namespace btrace::hotspot {

namespace {

constexpr i64 kExitWaitNs = 2 * kNsPerSecond;

void commit_own_stack(Capture& capture) {
  i32 frames = walk_thread(nullptr, capture.frames(), WalkBuffer::kFrames, capture.row().flags);
  if (frames < 0) {
    capture.lose(LossReason::WalkError);
    return;
  }
  capture.commit(static_cast<u32>(frames));
}

void JNICALL on_allocation(jvmtiEnv*, JNIEnv* env, jthread thread, jobject, jclass allocated, jlong) {
  ThreadRecord* record = my_record(env, thread);
  Capture capture;
  if (!capture.begin(record, SampleKind::Allocation, false)) return;
  read_counters(capture.row(), *record);
  capture.row().type = g_hotspot.jvm.class_of(env, allocated);
  commit_own_stack(capture);
}

void JNICALL on_thread_start(jvmtiEnv*, JNIEnv* env, jthread thread) {
  ThreadRecord* record = g_threads.mine();
  if (!record || record->busy.load() == Holder::Never) return;
  record->begin_ns.store_relaxed(now_ns());
  meet_thread(env, thread, record->tid.load_relaxed());
}

void JNICALL on_thread_end(jvmtiEnv*, JNIEnv*, jthread) {
  ThreadRecord* record = g_threads.mine_or_null();
  if (!record) record = g_threads.find(sys::gettid());
  if (record && record->busy.load() != Holder::Never) g_threads.end(*record, false);
}

void JNICALL on_death(jvmtiEnv*, JNIEnv*) {
  finish_recording(EndReason::TargetExited, nullptr, kExitWaitNs);
}

void set_event(jvmtiEvent event, bool on) {
  g_hotspot.jvm.ti->SetEventNotificationMode(on ? JVMTI_ENABLE : JVMTI_DISABLE, event, nullptr);
}

bool add_capability(jvmtiCapabilities wanted) {
  return g_hotspot.jvm.ti->AddCapabilities(&wanted) == JVMTI_ERROR_NONE;
}

}  // namespace

void set_callbacks() {
  jvmtiEventCallbacks callbacks{};
  callbacks.SampledObjectAlloc = on_allocation;
  callbacks.ThreadStart = on_thread_start;
  callbacks.ThreadEnd = on_thread_end;
  callbacks.VMDeath = on_death;
  g_hotspot.jvm.ti->SetEventCallbacks(&callbacks, sizeof callbacks);
}

void enable_points(Session& session) {
  jvmtiEnv* ti = g_hotspot.jvm.ti;
  jvmtiCapabilities lines{};
  lines.can_get_line_numbers = 1;
  if (!add_capability(lines)) session.report_hook("lines", HookState::Missing, "the JVM gives no line numbers");
  jvmtiCapabilities files{};
  files.can_get_source_file_name = 1;
  if (!add_capability(files)) session.report_hook("files", HookState::Missing, "the JVM gives no source file names");

  set_event(JVMTI_EVENT_THREAD_START, true);
  set_event(JVMTI_EVENT_THREAD_END, true);
  set_event(JVMTI_EVENT_VM_DEATH, true);

  if (!session.config.wants(SampleKind::Allocation)) {
    session.report_hook("allocation", HookState::Off, "not asked for");
    return;
  }
  jvmtiCapabilities sampling{};
  sampling.can_generate_sampled_object_alloc_events = 1;
  if (!add_capability(sampling)) {
    session.report_hook("allocation", HookState::Missing, "another agent in this process samples allocations");
    return;
  }
  constexpr u64 kLongestInterval = 1ull << 30;
  ti->SetHeapSamplingInterval(static_cast<jint>(min_of(session.config.allocation_interval_bytes, kLongestInterval)));
  set_event(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, true);
  session.report_hook("allocation", HookState::Installed);
}

void disable_points(Session& session) {
  set_event(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, false);
  set_event(JVMTI_EVENT_THREAD_START, false);
  set_event(JVMTI_EVENT_THREAD_END, false);
  set_event(JVMTI_EVENT_VM_DEATH, false);
  jvmtiCapabilities sampling{};
  sampling.can_generate_sampled_object_alloc_events = 1;
  g_hotspot.jvm.ti->RelinquishCapabilities(&sampling);
  for (u32 i = 0; i < session.hook_count; i++)
    if (session.hooks[i].state == HookState::Installed) session.report_hook(session.hooks[i].name, HookState::Removed);
}

}  // namespace btrace::hotspot
