// Natives of the framework and the core library that ours stand in for: the message loop's wait, who wakes whom, who
// creates whom, and where ART itself does not tell of waits, these.
#include "base/clock.h"
#include "base/libc.h"
#include "core/capture.h"
#include "os/machine.h"
#include "rt/art/art.h"
#include "rt/art/class_key.h"
#include "rt/art/jni_lookup.h"
#include "rt/art/points.h"
#include "rt/art/replacement.h"
#include "rt/art/runnable.h"
#include "rt/art/thread_state.h"

namespace btrace::art {

namespace {

enum Which : u32 {
  kPollOnce,
  kNotify,
  kNotifyAll,
  kUnpark,
  kUnparkInternal,
  kCreateThread,
  kLoadLibrary,
  kLoadLibrary28,
  kWait,
  kWaitForEver,
  kSleep,
  kReplacements
};
extern Replacement g_replacements[kReplacements];

// Known before ours can be reached.
template <class Function>
Function* original(Which which) {
  return reinterpret_cast<Function*>(g_replacements[which].original.load_acquire());
}

// From a normal native, where the thread is not Runnable and may not be walked but on an errand. None can be run while
// an exception is on its way: then there is no stack, and that is counted.
bool capture_in_native(JNIEnv* env, Errand& errand, ThreadRecord* record, SampleKind kind) {
  if (run_as_runnable(env, errand)) return true;
  // Without an exception the hooks have just gone.
  Capture capture;
  if (env->ExceptionCheck() && capture.begin(record, kind, true)) capture.lose(LossReason::WalkError);
  return false;
}

// ---------------------------------------------------------------- the message loop

struct Passed {
  ThreadRecord* record;
  ThreadState* state;
};

void capture_message(ArtThread* self, void* data) {
  auto& [record, state] = *static_cast<Passed*>(data);
  end_wait(self, record, SampleKind::Poll);
  // From here on another message's work is done.
  state->loop_message++;
  capture_here(self, record, SampleKind::Message, {}, true);
}

void poll_once(JNIEnv* env, jobject queue, jlong ptr, jint timeout_ms) {
  auto* poll = original<void(JNIEnv*, jobject, jlong, jint)>(kPollOnce);
  ArtThread* self = Internals::thread_of(env);
  ThreadRecord* record = active_session_id() ? my_record(self) : nullptr;
  ThreadState* state = record ? thread_state(*record) : nullptr;
  if (!state) return poll(env, queue, ptr, timeout_ms);
  record->own.wait = begin_wait();
  if (LoopLog* loop = record->loop.load_acquire()) loop->loop_waits(now_ns());
  poll(env, queue, ptr, timeout_ms);
  // Asked again: the log from before may be another thread's by now.
  if (LoopLog* loop = record->loop.load_acquire()) loop->loop_handles(now_ns());
  Passed passed{record, state};
  Errand errand{capture_message, &passed};
  if (!capture_in_native(env, errand, record, SampleKind::Message)) state->loop_message++;
}

// ---------------------------------------------------------------- who wakes whom

// These are @FastNative: the thread stays Runnable and may be walked.

// The calling thread is about to wake this one. It is told however short the wait is, for a busy machine may make it
// long afterwards, and whether or not its stack could be captured; captured where it was long. Returns the calling
// thread's index, 0 if it has none.
u32 capture_wakeup(ArtThread* self, ThreadRecord& waiter, SampleKind kind, u64 waits_for, u64 object) {
  Session* session = active_session();
  ThreadRecord* record = session ? my_record(self) : nullptr;
  if (!record) return 0;
  const i64 now = now_ns();
  i64 time_ns = kNotCaptured;
  if (should_capture_wakeup(waiter, waits_for, now))
    time_ns = capture_here(self, record, kind, {object, waits_for, waiter.index.load_relaxed()}, true);
  const u32 me = index_in(*session, *record);
  if (me) record_waker(waiter, me, time_ns == kNotCaptured ? session->since_origin(now) : time_ns);
  return me;
}

// Who waits longest for the object: ART wakes them in this order. The class was noted as the wait began; whether it is
// the same object is seen through the waiter's handle, which may be gone by now and is read with care.
ThreadRecord* longest_waiter(const Object* object, u64 type) {
  ThreadRecord* longest = nullptr;
  i64 since = INT64_MAX;
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    const i64 begin = record.wait.waits_since_ns.load_acquire();
    if (!begin || begin >= since || !is_waiting_for(record, type)) continue;
    u32 reference = 0;
    if (!read_memory(reinterpret_cast<const void*>(record.own.wait.object), &reference, sizeof reference) ||
        reference != static_cast<u32>(reinterpret_cast<uintptr_t>(object)))
      continue;
    longest = &record;
    since = begin;
  }
  return longest;
}

void before_notify(JNIEnv* env, jobject object, bool all) {
  const auto handle = reinterpret_cast<uintptr_t>(object);
  constexpr uintptr_t kKind = 3;  // 0: a handle, as all references in a native method's frame are
  if (!active_session_id() || handle & kKind) return;
  ArtThread* self = Internals::thread_of(env);
  const Object* decoded = held_by(reinterpret_cast<Object* const*>(handle));
  // Only an inflated monitor can have somebody waiting.
  const u64 monitor = monitor_id(decoded);
  const u64 type = monitor ? class_key(decoded->klass) : 0;
  ThreadRecord* waiter = type ? longest_waiter(decoded, type) : nullptr;
  if (!waiter) return;
  const u32 me = capture_wakeup(self, *waiter, SampleKind::Notify, type, monitor);
  if (!me) return;
  const i64 time_ns = waiter->wait.waker_time_ns.load_relaxed();
  while (all && (waiter = longest_waiter(decoded, type))) record_waker(*waiter, me, time_ns);
}

void notify(JNIEnv* env, jobject object) {
  if (do_errand(env)) return;
  before_notify(env, object, false);
  original<void(JNIEnv*, jobject)>(kNotify)(env, object);
}

void notify_all(JNIEnv* env, jobject object) {
  before_notify(env, object, true);
  original<void(JNIEnv*, jobject)>(kNotifyAll)(env, object);
}

jfieldID g_native_peer;

void before_unpark(JNIEnv* env, jobject thread) {
  if (!active_session_id() || !thread || !g_native_peer) return;
  ThreadRecord* waiter = g_threads.find_runtime(static_cast<u64>(env->GetLongField(thread, g_native_peer)));
  if (waiter && is_waiting_for(*waiter, 0)) capture_wakeup(Internals::thread_of(env), *waiter, SampleKind::Unpark, 0, 0);
}

void unpark(JNIEnv* env, jobject unsafe, jobject thread) {
  before_unpark(env, thread);
  original<void(JNIEnv*, jobject, jobject)>(kUnpark)(env, unsafe, thread);
}

void unpark_internal(JNIEnv* env, jobject unsafe, jobject thread) {
  before_unpark(env, thread);
  original<void(JNIEnv*, jobject, jobject)>(kUnparkInternal)(env, unsafe, thread);
}

// ---------------------------------------------------------------- who waits, where ART does not tell

// These are @FastNative too: a reference in a native method's frame is a handle.

template <Which kWhich, class... Time>
void object_wait(JNIEnv* env, jobject object, Time... time) {
  ArtThread* self = Internals::thread_of(env);
  ThreadRecord* record = active_session_id() ? my_record(self) : nullptr;
  if (record) begin_object_wait(*record, reinterpret_cast<Object* const*>(object));
  original<void(JNIEnv*, jobject, Time...)>(kWhich)(env, object, time...);
  if (record) end_object_wait(self, *record);
}

void thread_sleep(JNIEnv* env, jclass type, jobject lock, jlong ms, jint ns) {
  ArtThread* self = Internals::thread_of(env);
  ThreadRecord* record = active_session_id() ? my_record(self) : nullptr;
  if (record) begin_object_wait(*record, reinterpret_cast<Object* const*>(lock));
  original<void(JNIEnv*, jclass, jobject, jlong, jint)>(kSleep)(env, type, lock, ms, ns);
  if (record) end_object_wait(self, *record);
}

// ---------------------------------------------------------------- threads and libraries

struct Start {
  ThreadRecord* record;
  u64 peer;
  u32 child;  // 0: it has not begun yet; then it says itself who created it
};

void capture_start(ArtThread* self, void* data) {
  auto& [record, peer, child] = *static_cast<Start*>(data);
  capture_here(self, record, SampleKind::ThreadStart, {peer & kIdentityBits, 0, child}, true);
}

void create_thread(JNIEnv* env, jclass type, jobject thread, jlong stack_size, jboolean daemon) {
  original<void(JNIEnv*, jclass, jobject, jlong, jboolean)>(kCreateThread)(env, type, thread, stack_size, daemon);
  Session* session = active_session();
  // An exception: it was not created. No peer: it has ended already.
  if (!session || !g_native_peer || env->ExceptionCheck()) return;
  ThreadRecord* record = my_record(Internals::thread_of(env));
  const auto peer = static_cast<u64>(env->GetLongField(thread, g_native_peer));
  if (!record || !peer) return;
  ThreadRecord* child = tell_creator(peer, index_in(*session, *record));
  Start start{record, peer, child ? index_in(*session, *child) : 0};
  Errand errand{capture_start, &start};
  capture_in_native(env, errand, record, SampleKind::ThreadStart);
}

void capture_load(ArtThread* self, void* data) {
  auto* record = static_cast<ThreadRecord*>(data);
  end_wait(self, record, SampleKind::LibraryLoad, record->own.wait, true);
  record->own.wait.session = 0;
}

template <Which kWhich, class... Caller>
jstring load_library(JNIEnv* env, jclass type, jstring file, jobject loader, Caller... caller) {
  auto* load = original<jstring(JNIEnv*, jclass, jstring, jobject, Caller...)>(kWhich);
  ThreadRecord* record = active_session_id() ? my_record(Internals::thread_of(env)) : nullptr;
  if (!record) return load(env, type, file, loader, caller...);
  const Wait wait = begin_wait();
  jstring problem = load(env, type, file, loader, caller...);
  // The library's own code ran meanwhile and may have waited for something.
  record->own.wait = wait;
  Errand errand{capture_load, record};
  capture_in_native(env, errand, record, SampleKind::LibraryLoad);
  return problem;
}

Replacement g_replacements[kReplacements] = {
    {"message", "android/os/MessageQueue", "nativePollOnce", "(JI)V", address(poll_once), SampleKind::Message, false},
    {"notify", "java/lang/Object", "notify", "()V", address(notify), SampleKind::Notify, false},
    {"notifyAll", "java/lang/Object", "notifyAll", "()V", address(notify_all), SampleKind::Notify, false},
    {"unpark", "sun/misc/Unsafe", "unpark", "(Ljava/lang/Object;)V", address(unpark), SampleKind::Unpark, false},
    {"unpark", "jdk/internal/misc/Unsafe", "unpark", "(Ljava/lang/Object;)V", address(unpark_internal),
     SampleKind::Unpark, false},
    {"thread start", "java/lang/Thread", "nativeCreate", "(Ljava/lang/Thread;JZ)V", address(create_thread),
     SampleKind::ThreadStart, true},
    {"library load", "java/lang/Runtime", "nativeLoad",
     "(Ljava/lang/String;Ljava/lang/ClassLoader;Ljava/lang/Class;)Ljava/lang/String;",
     address(load_library<kLoadLibrary, jclass>), SampleKind::LibraryLoad, true},
    {"library load", "java/lang/Runtime", "nativeLoad", "(Ljava/lang/String;Ljava/lang/ClassLoader;)Ljava/lang/String;",
     address(load_library<kLoadLibrary28>), SampleKind::LibraryLoad, true},
    {"wait", "java/lang/Object", "wait", "(JI)V", address(object_wait<kWait, jlong, jint>), SampleKind::Wait, false},
    {"wait", "java/lang/Object", "wait", "()V", address(object_wait<kWaitForEver>), SampleKind::Wait, false},
    {"sleep", "java/lang/Thread", "sleep", "(Ljava/lang/Object;JI)V", address(thread_sleep), SampleKind::Sleep, true},
};

}  // namespace

const char* stand_in_for_notify(Session& session, JNIEnv* env) {
  LocalFrame frame(env, 32);
  return frame ? put_in(session, env, g_replacements[kNotify]) : "ART has no room for references";
}

void replace_natives(Session& session, JNIEnv* env) {
  jclass thread = find_class(env, "java/lang/Thread");
  g_native_peer = find_field(env, thread, "nativePeer", "J");
  // Where ART tells of waits itself, by its monitors' callback, nothing stands in for them.
  const HookState monitor = session.hook_state("monitor");
  const u32 end = monitor == HookState::Missing || monitor == HookState::Failed ? kReplacements : kWait;
  for (u32 which = 0; which < end; which++) {
    Replacement& replacement = g_replacements[which];
    if (replacement.installed) continue;
    if (session.config.wants(replacement.kind))
      put_in(session, env, replacement);
    else
      session.report_hook(replacement.hook, HookState::Off, "not asked for");
  }
}

void restore_natives(Session& session, JNIEnv* env) {
  for (Replacement& replacement : g_replacements)
    if (replacement.installed) take_out(session, env, replacement);
}

}  // namespace btrace::art
