// The JVM's own natives as points: Object.wait and notify, Unsafe.park and unpark, Thread.sleep and start. Each is
// replaced by RegisterNatives with a function that calls the original, and put back at stop. The library is never
// unloaded: a thread that waits inside while the hooks go finds its way back.
#include "base/clock.h"
#include "base/libc.h"
#include "os/linux/elf.h"
#include "rt/hotspot/waits.h"

namespace btrace::hotspot {

namespace {

using WaitFunction = void(JNICALL*)(JNIEnv*, jobject, jlong);
using NotifyFunction = void(JNICALL*)(JNIEnv*, jobject);
using ParkFunction = void(JNICALL*)(JNIEnv*, jobject, jboolean, jlong);
using UnparkFunction = void(JNICALL*)(JNIEnv*, jobject, jobject);
using SleepFunction = void(JNICALL*)(JNIEnv*, jclass, jlong);
using StartFunction = void(JNICALL*)(JNIEnv*, jobject);

struct Originals {
  WaitFunction wait;
  NotifyFunction notify;
  NotifyFunction notify_all;
  ParkFunction park;
  UnparkFunction unpark;
  SleepFunction sleep;
  StartFunction start;
};
Originals original;

// How many threads wait for objects of a class, by a hash of it. A notify of a class that nobody waits for goes
// straight on: asking for the object's identity would inflate a lock that is thin as yet.
constexpr u32 kWaitBuckets = 1024;
Atomic<u32> g_waiters[kWaitBuckets];
Atomic<u32>& waiters_of(u64 type) {
  return g_waiters[(type >> 6) % kWaitBuckets];
}

jfieldID g_park_blocker;

// ---------------------------------------------------------------- Object.wait, notify, notifyAll

void JNICALL hook_wait(JNIEnv* env, jobject object, jlong timeout_ms) {
  ThreadRecord* record = g_threads.current_record();
  // Where a virtual thread leaves its carrier in there, what returns is the carrier, at once.
  Wait wait = record && !leaves_in_monitors(env, *record) ? begin_wait() : Wait{};
  if (!wait.session) return original.wait(env, object, timeout_ms);
  identify(env, object, wait.type, wait.object);
  waiters_of(wait.type).add(1);
  publish_wait_for(*record, wait.object, SampleKind::Wait, wait);
  original.wait(env, object, timeout_ms);
  // From here an InterruptedException may be pending: no JNI call until it is back in Java.
  withdraw_wait_for(*record);
  waiters_of(wait.type).subtract(1);
  capture_linked_wait(*record, wait, LinkCertainty::ByIdentity,
                  [&](const Wait& ended) { return end_wait(record, SampleKind::Wait, ended); });
}

// Whoever waits longest is woken first: that is HotSpot's order.
ThreadRecord* longest_waiter(u64 object) {
  ThreadRecord* longest = nullptr;
  i64 since = INT64_MAX;
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    i64 begin = record.wait.waits_since_ns.load_acquire();
    if (!begin || begin >= since || !is_waiting_for(record, object)) continue;
    longest = &record;
    since = begin;
  }
  return longest;
}

// What threads wait for that wait for this object; 0 where nobody does.
u64 identity_if_awaited(JNIEnv* env, jobject object, u64& type) {
  jclass object_class = env->GetObjectClass(object);
  type = g_hotspot.jvm.class_of(env, object_class);
  env->DeleteLocalRef(object_class);
  jint hash = 0;
  const bool known = waiters_of(type).load_relaxed() &&
                     g_hotspot.jvm.ti->GetObjectHashCode(object, &hash) == JVMTI_ERROR_NONE;
  return known ? static_cast<u32>(hash) : 0;
}

void before_notify(JNIEnv* env, jobject object, bool all) {
  if (!active_session_id()) return;
  u64 type = 0;
  const u64 identity = identity_if_awaited(env, object, type);
  if (!identity) return;
  ThreadRecord* waiter = longest_waiter(identity);
  Waker waker = waiter ? capture_wakeup(*waiter, SampleKind::Notify, type, identity) : Waker{};
  while (all && waker.index && (waiter = longest_waiter(identity))) record_waker(*waiter, waker.index, waker.time_ns);
}

void JNICALL hook_notify(JNIEnv* env, jobject object) {
  before_notify(env, object, false);
  original.notify(env, object);
}

void JNICALL hook_notify_all(JNIEnv* env, jobject object) {
  before_notify(env, object, true);
  original.notify_all(env, object);
}

// ---------------------------------------------------------------- Unsafe.park, unpark

// What LockSupport says the thread waits for. Read only when the wait is captured.
void identify_waited_for(JNIEnv* env, const ThreadRecord& record, Wait& wait) {
  auto thread = static_cast<jobject>(record.runtime_ref.load_acquire());
  jobject waited_for = thread && g_park_blocker ? env->GetObjectField(thread, g_park_blocker) : nullptr;
  if (!waited_for) return;
  identify(env, waited_for, wait.type, wait.object);
  env->DeleteLocalRef(waited_for);
}

void JNICALL hook_park(JNIEnv* env, jobject unsafe, jboolean absolute, jlong time) {
  ThreadRecord* record = g_threads.current_record();
  Wait wait = record ? begin_wait() : Wait{};
  if (!wait.session) return original.park(env, unsafe, absolute, time);
  find_out_who_runs(env, *record);
  publish_wait_for(*record, 0, SampleKind::Park, wait);
  original.park(env, unsafe, absolute, time);
  withdraw_wait_for(*record);
  const i64 lasted_ns = now_ns() - wait.begin_ns;
  if (lasted_ns < Session::kShortestWaitNs && !gate_open(*record)) return leave_out_wait(*record, lasted_ns);
  identify_waited_for(env, *record, wait);
  capture_linked_wait(*record, wait, LinkCertainty::Observed,
                  [&](const Wait& ended) { return end_wait(record, SampleKind::Park, ended); });
}

void JNICALL hook_unpark(JNIEnv* env, jobject unsafe, jobject thread) {
  if (thread && active_session_id()) {
    ThreadRecord* waiter = g_threads.find_runtime(g_hotspot.jvm.thread_of(env, thread));
    if (waiter && is_waiting_for(*waiter, 0)) capture_wakeup(*waiter, SampleKind::Unpark, 0, 0);
  }
  original.unpark(env, unsafe, thread);
}

// ---------------------------------------------------------------- Thread.sleep, start

void JNICALL hook_sleep(JNIEnv* env, jclass thread_class, jlong time) {
  ThreadRecord* record = g_threads.current_record();
  Wait wait = record ? begin_wait() : Wait{};
  if (!wait.session) return original.sleep(env, thread_class, time);
  publish_wait(*record, SampleKind::Sleep, wait);
  original.sleep(env, thread_class, time);
  withdraw_wait(*record);
  end_wait(record, SampleKind::Sleep, wait);
}

// 0 where the drain has told the last of it meanwhile, and the record may be another thread's.
u32 index_of_ended(const Session& session, const ThreadRecord& record) {
  const u32 index = record.index.load_relaxed();
  const bool ours = record.session.load_acquire() == session.id;
  return ours && record.state.load_acquire() == ThreadRecord::State::Ended ? index : 0;
}

void JNICALL hook_start(JNIEnv* env, jobject thread) {
  original.start(env, thread);
  Session* session = active_session();
  ThreadRecord* record = session ? g_threads.current_record() : nullptr;
  // With an exception pending it did not start; and it may have ended already.
  if (!record || env->ExceptionCheck()) return;
  const Jvm& jvm = g_hotspot.jvm;
  u64 java_thread = jvm.thread_of(env, thread);
  u32 tid = java_thread ? jvm.tid_of(java_thread) : 0;
  if (!tid || thread_cpu_ns(tid) < 0) return;
  ThreadRecord* child = g_threads.obtain(tid);
  u32 child_index = 0;
  if (ThreadRecord* ended = child ? g_threads.find_ended(tid, java_thread) : nullptr) {
    // It is over already, and what was obtained may be another record of it.
    g_threads.end_unbound(*child);
    child = ended;
    child_index = index_of_ended(*session, *ended);
  } else if (child) {
    meet_thread(env, thread, *child);
    child_index = index_in(*session, *child);
  }
  if (child_index) child->creator.store_relaxed(record->index.load_relaxed());
  capture_waker_stack(record, SampleKind::ThreadStart, 0, 0, child_index);
}

// ---------------------------------------------------------------- putting in and taking out

struct NativePoint {
  const char* hook;   // in hook health
  const char* owner;  // class
  const char* method;
  const char* signature;
  bool is_static;
  const char* symbol;  // the JVM's own function behind it
  void* replacement;
  void** keep;  // where the original is kept
  SampleKind kind;
  bool installed;
};

#define BTRACE_ORIGINAL(name) reinterpret_cast<void**>(&original.name)
#define BTRACE_HOOK(name) reinterpret_cast<void*>(&name)
// What ends waits goes in before the waits, so that none is recorded whose end nobody could see. Two lines with the
// same hook are the names of different JDKs: the first that is there is taken.
NativePoint g_points[] = {
    {"Object.notify", "java/lang/Object", "notify", "()V", false, "JVM_MonitorNotify", BTRACE_HOOK(hook_notify),
     BTRACE_ORIGINAL(notify), SampleKind::Notify, false},
    {"Object.notifyAll", "java/lang/Object", "notifyAll", "()V", false, "JVM_MonitorNotifyAll",
     BTRACE_HOOK(hook_notify_all), BTRACE_ORIGINAL(notify_all), SampleKind::Notify, false},
    {"Unsafe.unpark", "jdk/internal/misc/Unsafe", "unpark", "(Ljava/lang/Object;)V", false, "Unsafe_Unpark",
     BTRACE_HOOK(hook_unpark), BTRACE_ORIGINAL(unpark), SampleKind::Unpark, false},
    {"Object.wait", "java/lang/Object", "wait0", "(J)V", false, "JVM_MonitorWait", BTRACE_HOOK(hook_wait),
     BTRACE_ORIGINAL(wait), SampleKind::Wait, false},
    {"Object.wait", "java/lang/Object", "wait", "(J)V", false, "JVM_MonitorWait", BTRACE_HOOK(hook_wait),
     BTRACE_ORIGINAL(wait), SampleKind::Wait, false},
    {"Unsafe.park", "jdk/internal/misc/Unsafe", "park", "(ZJ)V", false, "Unsafe_Park", BTRACE_HOOK(hook_park),
     BTRACE_ORIGINAL(park), SampleKind::Park, false},
    {"Thread.sleep", "java/lang/Thread", "sleepNanos0", "(J)V", true, "JVM_SleepNanos", BTRACE_HOOK(hook_sleep),
     BTRACE_ORIGINAL(sleep), SampleKind::Sleep, false},
    {"Thread.sleep", "java/lang/Thread", "sleep0", "(J)V", true, "JVM_SleepNanos", BTRACE_HOOK(hook_sleep),
     BTRACE_ORIGINAL(sleep), SampleKind::Sleep, false},
    {"Thread.sleep", "java/lang/Thread", "sleep0", "(J)V", true, "JVM_Sleep", BTRACE_HOOK(hook_sleep),
     BTRACE_ORIGINAL(sleep), SampleKind::Sleep, false},
    {"Thread.sleep", "java/lang/Thread", "sleep", "(J)V", true, "JVM_Sleep", BTRACE_HOOK(hook_sleep),
     BTRACE_ORIGINAL(sleep), SampleKind::Sleep, false},
    {"Thread.start", "java/lang/Thread", "start0", "()V", false, "JVM_StartThread", BTRACE_HOOK(hook_start),
     BTRACE_ORIGINAL(start), SampleKind::ThreadStart, false},
};

bool is_native(JNIEnv* env, jclass owner, const NativePoint& point) {
  jmethodID method = point.is_static ? env->GetStaticMethodID(owner, point.method, point.signature)
                                     : env->GetMethodID(owner, point.method, point.signature);
  if (env->ExceptionCheck()) env->ExceptionClear();
  jboolean native = JNI_FALSE;
  return method && g_hotspot.jvm.ti->IsMethodNative(method, &native) == JVMTI_ERROR_NONE && native;
}

bool bind(JNIEnv* env, const NativePoint& point, void* function) {
  jclass owner = env->FindClass(point.owner);
  if (!owner) return env->ExceptionClear(), false;
  JNINativeMethod method{const_cast<char*>(point.method), const_cast<char*>(point.signature), function};
  bool bound = env->RegisterNatives(owner, &method, 1) == JNI_OK;
  if (env->ExceptionCheck()) env->ExceptionClear();
  env->DeleteLocalRef(owner);
  return bound;
}

// nullptr when it is in, else why not.
const char* install_point(JNIEnv* env, const Library& jvm_library, NativePoint& point) {
  jclass owner = env->FindClass(point.owner);
  if (!owner) return env->ExceptionClear(), "its class is not there";
  bool native = is_native(env, owner, point);
  env->DeleteLocalRef(owner);
  if (!native) return "this JDK has no such native method";
  void* function = jvm_library.symbol(point.symbol);
  if (!function) return "the JVM's symbol table does not name the original";
  *point.keep = function;
  if (!bind(env, point, point.replacement)) return "the JVM refused the replacement";
  point.installed = true;
  return nullptr;
}

// ---------------------------------------------------------------- RegisterNatives without a word

// HotSpot prints a warning when natives of the JDK are bound by code from outside, and that is anybody with no JDK
// frame on its stack. So it is done from within one: Class.getDeclaredClasses() allocates inside the JVM, and the event
// of that allocation, switched on for that moment, calls us with java.lang.Class on the stack.
struct BootCall {
  void (*run)(JNIEnv* env, Session& session);
  Session* session;
};
BootCall g_boot_call;
Atomic<u32> g_boot_tid;  // the thread it belongs to, until it has been made

bool call_within_jdk(JNIEnv* env, Session& session, void (*run)(JNIEnv*, Session&)) {
  jvmtiEnv* ti = g_hotspot.jvm.ti;
  jvmtiCapabilities allocations{};
  allocations.can_generate_vm_object_alloc_events = 1;
  jclass class_class = env->FindClass("java/lang/Class");
  jmethodID inner_classes =
      class_class ? env->GetMethodID(class_class, "getDeclaredClasses", "()[Ljava/lang/Class;") : nullptr;
  if (env->ExceptionCheck()) env->ExceptionClear();
  if (!inner_classes || ti->AddCapabilities(&allocations) != JVMTI_ERROR_NONE) return false;
  g_boot_call = {run, &session};
  g_boot_tid.store(sys::gettid());
  ti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_OBJECT_ALLOC, nullptr);
  jobject classes = env->CallObjectMethod(class_class, inner_classes);
  ti->SetEventNotificationMode(JVMTI_DISABLE, JVMTI_EVENT_VM_OBJECT_ALLOC, nullptr);
  if (env->ExceptionCheck()) env->ExceptionClear();
  ti->RelinquishCapabilities(&allocations);
  if (classes) env->DeleteLocalRef(classes);
  env->DeleteLocalRef(class_class);
  return g_boot_tid.exchange(0) == 0;
}

void install_all(JNIEnv* env, Session& session);
void remove_all(JNIEnv* env, Session& session);

}  // namespace

void JNICALL on_vm_allocation(jvmtiEnv*, JNIEnv* env, jthread, jobject, jclass, jlong) {
  // Any thread may come here in that moment; the call belongs to one, which takes it once.
  if (g_boot_tid.load() != sys::gettid()) return;
  g_boot_tid.store(0);
  g_boot_call.run(env, *g_boot_call.session);
}

void record_waker_of_joiners(JNIEnv* env, jthread thread, ThreadRecord& ended) {
  Session* session = active_session();
  u64 type = 0;
  const u64 identity = session ? identity_if_awaited(env, thread, type) : 0;
  ThreadRecord* waiter = identity ? longest_waiter(identity) : nullptr;
  const u32 index = waiter ? index_in(*session, ended) : 0;
  for (; index && waiter; waiter = longest_waiter(identity))
    record_waker(*waiter, index, session->since_origin(now_ns()));
}

void install_natives(Session& session) {
  if (call_within_jdk(g_hotspot.jvm.env(), session, install_all)) return;
  for (const NativePoint& point : g_points)
    session.report_hook(point.hook, HookState::Missing, "this JVM would print a warning about it");
}

void remove_natives(Session& session) {
  if (call_within_jdk(g_hotspot.jvm.env(), session, remove_all)) return;
  for (const NativePoint& point : g_points)
    if (point.installed)
      session.report_hook(point.hook, HookState::Failed,
                          "it stays and only calls through: taking it out would print a warning");
}

namespace {

void install_all(JNIEnv* env, Session& session) {
  jclass thread_class = env->FindClass("java/lang/Thread");
  g_park_blocker = thread_class ? env->GetFieldID(thread_class, "parkBlocker", "Ljava/lang/Object;") : nullptr;
  if (env->ExceptionCheck()) env->ExceptionClear();
  if (thread_class) env->DeleteLocalRef(thread_class);

  Library jvm_library;
  bool opened = jvm_library.open("libjvm.so");
  const char* done = "";
  for (NativePoint& point : g_points) {
    if (strcmp(done, point.hook) == 0) continue;
    if (!session.config.wants(point.kind)) {
      session.report_hook(point.hook, HookState::Off, "not asked for");
      continue;
    }
    const char* why = opened ? install_point(env, jvm_library, point) : "the JVM's library could not be read";
    session.report_hook(point.hook, why ? HookState::Missing : HookState::Installed, why);
    if (!why) done = point.hook;
  }
  jvm_library.close();
}

void remove_all(JNIEnv* env, Session& session) {
  for (NativePoint& point : g_points) {
    if (!point.installed) continue;
    point.installed = false;
    if (bind(env, point, *point.keep))
      session.report_hook(point.hook, HookState::Removed);
    else
      session.report_hook(point.hook, HookState::Failed,
                          "the JVM refused to take the original back; it only calls through");
  }
}

}  // namespace

}  // namespace btrace::hotspot
