#include "base/clock.h"
#include "base/libc.h"
#include "core/recorder.h"
#include "rt/hotspot/collection_waits.h"
#include "rt/hotspot/waits.h"
#include "rt/hotspot/monitor_release.h"
#include "rt/hotspot/socket_waits.h"
#include "rt/hotspot/stack_here.h"
#include "rt/hotspot/thread_creation.h"
#include "rt/java/thread_creation.h"

namespace btrace::hotspot {

namespace {

constexpr i64 kExitWaitNs = 2 * kNsPerSecond;

// ---------------------------------------------------------------- instant points

// `fill(row)` says what the sample is about, if there is to be one.
template <class Fill>
void capture_here(ThreadRecord* record, SampleKind kind, bool force, Fill fill) {
  Capture capture;
  if (!capture.begin(record, kind, force)) return;
  read_counters(capture.row(), *record);
  fill(capture.row());
  StackHere stack(capture);
  if (stack.commit_cached_stack()) return;
  i32 frames = walk_thread(nullptr, capture.frames(), WalkBuffer::kFrames, capture.row().flags);
  if (frames < 0)
    capture.lose(LossReason::WalkError);
  else
    stack.commit(static_cast<u32>(frames));
}

void capture_class(JNIEnv* env, jthread thread, SampleKind kind, jclass type) {
  capture_here(my_record(env, thread), kind, false, [&](Row& row) { row.type = g_hotspot.jvm.class_of(env, type); });
}

void JNICALL on_allocation(jvmtiEnv*, JNIEnv* env, jthread thread, jobject, jclass allocated, jlong) {
  if (ThreadRecord* record = g_threads.current_record_or_null()) {
    Atomic<u32>& events = record->own.events;
    events.store_relaxed(events.load_relaxed() + 1);
  }
  capture_class(env, thread, SampleKind::Allocation, allocated);
}

void JNICALL on_class_load(jvmtiEnv*, JNIEnv* env, jthread thread, jclass loaded) {
  code_changes();
  class_was_loaded();
  capture_class(env, thread, SampleKind::ClassLoad, loaded);
}

// While somebody listens to this, the JVM's compilers note for each instruction, and not for safepoints alone, which
// inlined method and line it is of. Interrupts come anywhere: without it what is inlined would be its caller's.
void JNICALL on_compiled(jvmtiEnv*, jmethodID, jint, const void*, jint, const jvmtiAddrLocationMap*, const void*) {
  code_changes();
}

void JNICALL on_compiled_code_gone(jvmtiEnv*, jmethodID, const void*) {
  code_changes();
}

// ---------------------------------------------------------------- contended monitors

void JNICALL on_contended_enter(jvmtiEnv*, JNIEnv* env, jthread thread, jobject object) {
  ThreadRecord* record = my_record(env, thread);
  if (!record) return;
  record->own.wait = leaves_in_monitors(env, *record) ? Wait{} : begin_wait();
  if (!record->own.wait.session) return;
  identify(env, object, record->own.wait.type, record->own.wait.object);
  ThreadRecord* owner = owner_by_word(g_hotspot.jvm.pending_owner(record->runtime_thread.load_relaxed()));
  if (owner && owner != record && owner->session.load_acquire() == record->own.wait.session) {
    record->own.wait.peer = owner->index.load_relaxed();
    record->own.wait.flags = kFlagOwnerEstimated;
  }
  begin_monitor_wait(*record);
  publish_wait(*record, SampleKind::Monitor, record->own.wait);
}

void JNICALL on_contended_entered(jvmtiEnv*, JNIEnv*, jthread, jobject) {
  ThreadRecord* record = g_threads.current_record_or_null();
  if (!record) return;
  Wait wait = record->own.wait;
  record->own.wait.session = 0;
  const bool saw_release = end_monitor_wait(*record, wait);
  withdraw_wait(*record);
  i64 time_ns = end_wait(record, SampleKind::Monitor, wait);
  if (saw_release) return link_to_waker(*record, wait, time_ns, LinkCertainty::Observed);
  if (time_ns == kNotCaptured || !wait.peer) return;
  Session* session = active_session();
  if (!session || session->id != wait.session) return;
  // Nobody saw the release: the owner at the wait's begin is named, at the time this thread went on.
  Link link{record->index.load_relaxed(), wait.peer, time_ns, session->since_origin(now_ns()),
            LinkCertainty::OwnerAtBegin, wait.session};
  if (!g_links.push(link)) session->links_lost.add_relaxed(1);
}

// ---------------------------------------------------------------- garbage collection

// On the thread that runs the pause, with the program stopped: no JNI, no walk.
void JNICALL on_gc_start(jvmtiEnv*) {
  if (ThreadRecord* record = g_threads.current_record()) record->own.wait = begin_wait();
}

void JNICALL on_gc_finish(jvmtiEnv*) {
  note_collection_end();
  ThreadRecord* record = g_threads.current_record_or_null();
  if (!record || !record->own.wait.session) return;
  Wait wait = record->own.wait;
  record->own.wait.session = 0;
  end_wait(record, SampleKind::Gc, wait, kStubCollection);
}

// ---------------------------------------------------------------- threads, the program's end

// The method that the stack of a thread begins with: its own run(), or Thread's. Native code that comes to the JVM with a
// thread of its own is not called by it.
u64 entry_of(JNIEnv* env, jthread thread, const ThreadRecord& record) {
  constexpr i64 kMostBeforeNs = kNsPerMs;
  if (record.created_in.load_acquire() || record.native.session.load_relaxed() || own_cpu_ns() > kMostBeforeNs) return 0;
  jclass thread_class = env->GetObjectClass(thread);
  const jmethodID run = env->GetMethodID(thread_class, "run", "()V");
  env->DeleteLocalRef(thread_class);
  if (!run) env->ExceptionClear();
  return reinterpret_cast<u64>(run);
}

void JNICALL on_thread_start(jvmtiEnv*, JNIEnv* env, jthread thread) {
  ThreadRecord* record = g_threads.current_record();
  if (!record || record->busy.load() == Holder::Never) return;
  record->begin_ns.store_relaxed(now_ns());
  meet_thread(env, thread, *record);
  record->own.entry = entry_of(env, thread, *record);
  // It is told though it may be over before anything of it is captured.
  Session* session = active_session();
  if (session && !session->config.main_only) begin_thread(*session, *record, record->own.entry);
}

void JNICALL on_thread_end(jvmtiEnv*, JNIEnv* env, jthread thread) {
  ThreadRecord* record = g_threads.current_record_or_null();
  if (!record) record = g_threads.find(sys::gettid());
  if (!record || record->busy.load() == Holder::Never) return;
  record_waker_of_joiners(env, thread, *record);
  Capture capture;
  if (record->own.entry) capture.tell_end(record, {record->own.entry, -1});
  end_thread(env, thread, *record);
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

constexpr jvmtiEvent kEvents[] = {JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
                                  JVMTI_EVENT_CLASS_LOAD,
                                  JVMTI_EVENT_COMPILED_METHOD_LOAD,
                                  JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
                                  JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
                                  JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
                                  JVMTI_EVENT_GARBAGE_COLLECTION_START,
                                  JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
                                  JVMTI_EVENT_THREAD_START,
                                  JVMTI_EVENT_THREAD_END,
                                  JVMTI_EVENT_VM_DEATH};
constexpr const char* kEventHooks[] = {"allocation", "class load", "inlined methods", "monitor", "gc"};

// Switches a point on that is one event; false when it stays off, which is reported.
bool enable(Session& session, const char* hook, SampleKind kind, jvmtiCapabilities needed, jvmtiEvent event) {
  if (!session.config.wants(kind)) {
    session.report_hook(hook, HookState::Off, "not asked for");
    return false;
  }
  if (!add_capability(needed)) {
    session.report_hook(hook, HookState::Missing, "the JVM does not give this event to an agent now");
    return false;
  }
  set_event(event, true);
  session.report_hook(hook, HookState::Installed);
  return true;
}

void enable_allocations(Session& session) {
  jvmtiCapabilities sampling{};
  sampling.can_generate_sampled_object_alloc_events = 1;
  if (session.config.wants(SampleKind::Allocation) && !add_capability(sampling)) {
    session.report_hook("allocation", HookState::Missing, "another agent in this process samples allocations");
    return;
  }
  set_allocation_interval(session.config.allocation_interval_bytes);
  enable(session, "allocation", SampleKind::Allocation, sampling, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
}

}  // namespace

void capture_marker(u32 text, u64 object) {
  ThreadRecord* record = g_threads.current_record();
  // One that was not met is on its way out, as in my_record.
  if (!record || !record->runtime_ref.load_relaxed()) return;
  capture_here(record, SampleKind::Marker, true, [&](Row& row) {
    row.text = text;
    row.object = object;
  });
}

void set_callbacks() {
  // With room for those that this header may not know.
  union {
    jvmtiEventCallbacks callbacks;
    void* places[64];
  };
  memset(places, 0, sizeof places);
  static_assert(sizeof callbacks <= sizeof places);
  callbacks.SampledObjectAlloc = on_allocation;
  callbacks.ClassLoad = on_class_load;
  callbacks.CompiledMethodLoad = on_compiled;
  callbacks.CompiledMethodUnload = on_compiled_code_gone;
  callbacks.MonitorContendedEnter = on_contended_enter;
  callbacks.MonitorContendedEntered = on_contended_entered;
  callbacks.GarbageCollectionStart = on_gc_start;
  callbacks.GarbageCollectionFinish = on_gc_finish;
  callbacks.VMObjectAlloc = on_vm_allocation;
  callbacks.NativeMethodBind = on_native_bound;
  callbacks.ThreadStart = on_thread_start;
  callbacks.ThreadEnd = on_thread_end;
  callbacks.VMDeath = on_death;
  set_virtual_thread_end(places, JVMTI_MIN_EVENT_TYPE_VAL);
  g_hotspot.jvm.ti->SetEventCallbacks(&callbacks, sizeof places);
}

void enable_points(Session& session) {
  jvmtiCapabilities lines{};
  lines.can_get_line_numbers = 1;
  if (!add_capability(lines)) session.report_hook("lines", HookState::Missing, "the JVM gives no line numbers");
  jvmtiCapabilities files{};
  files.can_get_source_file_name = 1;
  if (!add_capability(files)) session.report_hook("files", HookState::Missing, "the JVM gives no source file names");

  set_event(JVMTI_EVENT_THREAD_START, true);
  set_event(JVMTI_EVENT_THREAD_END, true);
  set_event(JVMTI_EVENT_VM_DEATH, true);

  enable_allocations(session);
  jvmtiCapabilities monitors{};
  monitors.can_generate_monitor_events = 1;
  enable_monitor_releases(session);
  enable_thread_creation(session);
  if (enable(session, "monitor", SampleKind::Monitor, monitors, JVMTI_EVENT_MONITOR_CONTENDED_ENTER))
    set_event(JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, true);
  jvmtiCapabilities collections{};
  collections.can_generate_garbage_collection_events = 1;
  if (enable(session, "gc", SampleKind::Gc, collections, JVMTI_EVENT_GARBAGE_COLLECTION_START))
    set_event(JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, true);
  enable_collection_waits(session);
  enable(session, "class load", SampleKind::ClassLoad, {}, JVMTI_EVENT_CLASS_LOAD);
  jvmtiCapabilities compiled{};
  compiled.can_generate_compiled_method_load_events = 1;
  const bool hears_of_code = add_capability(compiled);
  set_event(JVMTI_EVENT_COMPILED_METHOD_UNLOAD, hears_of_code);
  // The JVM tells of code that goes only where it told that it had come.
  const bool hears_of_both =
      enable(session, "inlined methods", SampleKind::CpuTimer, compiled, JVMTI_EVENT_COMPILED_METHOD_LOAD);
  begin_knowing_stacks(session, hears_of_code && hears_of_both);
  // Known stacks and method ids need it, whether loads are points or not.
  set_event(JVMTI_EVENT_CLASS_LOAD, true);
}

void disable_points(Session& session) {
  end_knowing_stacks(session);
  for (jvmtiEvent event : kEvents) set_event(event, false);
  disable_collection_waits(session);
  disable_monitor_releases(session);
  disable_thread_creation(session);
  // Sampled allocation belongs to one agent at a time: the next one may have it.
  jvmtiCapabilities sampling{};
  sampling.can_generate_sampled_object_alloc_events = 1;
  g_hotspot.jvm.ti->RelinquishCapabilities(&sampling);
  for (const char* hook : kEventHooks)
    if (session.hook_state(hook) == HookState::Installed) session.report_hook(hook, HookState::Removed);
}

}  // namespace btrace::hotspot
