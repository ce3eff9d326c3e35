// Natives of the framework and the core library, replaced by RegisterNatives: the message loop's wait, and who wakes
// whom.
#include "base/clock.h"
#include "base/libc.h"
#include "core/capture.h"
#include "os/linux/machine.h"
#include "rt/art/art.h"
#include "rt/art/class_key.h"
#include "rt/art/jni_lookup.h"
#include "rt/art/points.h"
#include "rt/art/runnable.h"
#include "rt/art/thread_state.h"

namespace btrace::art {

namespace {

struct Replacement {
  const char* hook;
  const char* class_name;
  const char* method;
  const char* signature;
  void* ours;
  SampleKind kind;
  Atomic<void*> original;
  jclass java_class;
  bool installed;
  bool is_static;
};

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

// ---------------------------------------------------------------- the message loop

// A normal native: the thread is not Runnable here and may not be walked but on an errand.
struct Passed {
  ThreadRecord* record;
  ThreadState* state;
};

void capture_message(ArtThread* self, void* data) {
  auto& [record, state] = *static_cast<Passed*>(data);
  end_block(self, record, SampleKind::Poll);
  // From here on another message's work is done.
  state->message++;
  capture_here(self, record, SampleKind::Message, {}, true);
}

void poll_once(JNIEnv* env, jobject queue, jlong ptr, jint timeout_ms) {
  auto* poll = original<void(JNIEnv*, jobject, jlong, jint)>(kPollOnce);
  ArtThread* self = Internals::thread_of(env);
  ThreadRecord* record = active_session_id() ? my_record(self) : nullptr;
  ThreadState* state = record ? thread_state(*record) : nullptr;
  if (!state) return poll(env, queue, ptr, timeout_ms);
  record->block = begin_block();
  poll(env, queue, ptr, timeout_ms);
  Passed passed{record, state};
  Errand errand{capture_message, &passed};
  // Refused when an exception is on its way, or the hooks have just gone.
  if (!run_as_runnable(env, errand)) state->message++;
}

// ---------------------------------------------------------------- who wakes whom

// These are @FastNative: the thread stays Runnable and may be walked.

// Who waits longest for the object: ART wakes them in this order. The class was noted as the wait began; whether it is
// the same object is seen through the waiter's handle, which may be gone by now and is read with care.
ThreadRecord* longest_waiter(const Object* object, u64 type, i64 now) {
  ThreadRecord* longest = nullptr;
  i64 since = INT64_MAX;
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    const i64 begin = record.waits_since_ns.load_acquire();
    if (!begin || begin >= since || !worth_waking(record, type, now)) continue;
    u32 reference = 0;
    if (!read_memory(reinterpret_cast<const void*>(record.block.object), &reference, sizeof reference) ||
        reference != static_cast<u32>(reinterpret_cast<uintptr_t>(object)))
      continue;
    longest = &record;
    since = begin;
  }
  return longest;
}

void before_notify(JNIEnv* env, jobject object, bool all) {
  const Internals& art = g_art.internals;
  if (!active_session_id() || !art.has(Need::DecodeReference)) return;
  ArtThread* self = Internals::thread_of(env);
  const Object* decoded = art.as<const Object*(ArtThread*, jobject)>(Need::DecodeReference)(self, object);
  // Only an inflated monitor can have somebody waiting.
  const u64 monitor = monitor_id(decoded);
  const u64 type = monitor ? class_key(decoded->klass) : 0;
  ThreadRecord* waiter = type ? longest_waiter(decoded, type, now_ns()) : nullptr;
  ThreadRecord* record = waiter ? my_record(self) : nullptr;
  if (!record) return;
  const Subject subject{monitor, type, waiter->index.load_relaxed()};
  const i64 time_ns = capture_here(self, record, SampleKind::Notify, subject, true);
  if (time_ns == kNotCaptured) return;
  const u32 me = record->index.load_relaxed();
  tell_waker(*waiter, me, time_ns);
  while (all && (waiter = longest_waiter(decoded, type, now_ns()))) tell_waker(*waiter, me, time_ns);
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

// It is told however short the wait is, for a busy machine may make it long afterwards; captured where it was long. (To
// find who waits for a notify costs more than a short wait may.)
void before_unpark(JNIEnv* env, jobject thread) {
  Session* session = active_session();
  if (!session || !thread || !g_native_peer) return;
  ThreadRecord* waiter = g_threads.find_runtime(static_cast<u64>(env->GetLongField(thread, g_native_peer)));
  if (!waiter || !wants_waker(*waiter, 0)) return;
  ArtThread* self = Internals::thread_of(env);
  ThreadRecord* record = my_record(self);
  if (!record) return;
  const i64 now = now_ns();
  i64 time_ns = kNotCaptured;
  if (worth_waking(*waiter, 0, now))
    time_ns = capture_here(self, record, SampleKind::Unpark, {0, 0, waiter->index.load_relaxed()}, true);
  const u32 me = index_in(*session, *record);
  if (me) tell_waker(*waiter, me, time_ns == kNotCaptured ? session->since_origin(now) : time_ns);
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
  if (record) begin_wait(*record, reinterpret_cast<Object* const*>(object));
  original<void(JNIEnv*, jobject, Time...)>(kWhich)(env, object, time...);
  if (record) end_wait(self, *record);
}

void thread_sleep(JNIEnv* env, jclass type, jobject lock, jlong ms, jint ns) {
  ArtThread* self = Internals::thread_of(env);
  ThreadRecord* record = active_session_id() ? my_record(self) : nullptr;
  if (record) begin_wait(*record, reinterpret_cast<Object* const*>(lock));
  original<void(JNIEnv*, jclass, jobject, jlong, jint)>(kSleep)(env, type, lock, ms, ns);
  if (record) end_wait(self, *record);
}

// ---------------------------------------------------------------- threads and libraries

// Both are normal natives: the walk is an errand.

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
  run_as_runnable(env, errand);
}

void capture_load(ArtThread* self, void* record) {
  end_block(self, static_cast<ThreadRecord*>(record), SampleKind::LibraryLoad, true);
}

template <Which kWhich, class... Caller>
jstring load_library(JNIEnv* env, jclass type, jstring file, jobject loader, Caller... caller) {
  auto* load = original<jstring(JNIEnv*, jclass, jstring, jobject, Caller...)>(kWhich);
  ThreadRecord* record = active_session_id() ? my_record(Internals::thread_of(env)) : nullptr;
  if (!record) return load(env, type, file, loader, caller...);
  const Blocked block = begin_block();
  jstring problem = load(env, type, file, loader, caller...);
  // The library's own code ran meanwhile and may have waited for something.
  record->block = block;
  Errand errand{capture_load, record};
  run_as_runnable(env, errand);
  return problem;
}

template <class Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

Replacement g_replacements[kReplacements] = {
    {"message",
     "android/os/MessageQueue",
     "nativePollOnce",
     "(JI)V",
     address(poll_once),
     SampleKind::Message,
     {},
     nullptr,
     false,
     false},
    {"notify", "java/lang/Object", "notify", "()V", address(notify), SampleKind::Notify, {}, nullptr, false, false},
    {"notifyAll",
     "java/lang/Object",
     "notifyAll",
     "()V",
     address(notify_all),
     SampleKind::Notify,
     {},
     nullptr,
     false,
     false},
    {"unpark",
     "sun/misc/Unsafe",
     "unpark",
     "(Ljava/lang/Object;)V",
     address(unpark),
     SampleKind::Unpark,
     {},
     nullptr,
     false,
     false},
    {"unpark",
     "jdk/internal/misc/Unsafe",
     "unpark",
     "(Ljava/lang/Object;)V",
     address(unpark_internal),
     SampleKind::Unpark,
     {},
     nullptr,
     false,
     false},
    {"thread start",
     "java/lang/Thread",
     "nativeCreate",
     "(Ljava/lang/Thread;JZ)V",
     address(create_thread),
     SampleKind::ThreadStart,
     {},
     nullptr,
     false,
     true},
    {"library load",
     "java/lang/Runtime",
     "nativeLoad",
     "(Ljava/lang/String;Ljava/lang/ClassLoader;Ljava/lang/Class;)Ljava/lang/String;",
     address(load_library<kLoadLibrary, jclass>),
     SampleKind::LibraryLoad,
     {},
     nullptr,
     false,
     true},
    {"library load",
     "java/lang/Runtime",
     "nativeLoad",
     "(Ljava/lang/String;Ljava/lang/ClassLoader;)Ljava/lang/String;",
     address(load_library<kLoadLibrary28>),
     SampleKind::LibraryLoad,
     {},
     nullptr,
     false,
     true},
    {"wait",
     "java/lang/Object",
     "wait",
     "(JI)V",
     address(object_wait<kWait, jlong, jint>),
     SampleKind::Wait,
     {},
     nullptr,
     false,
     false},
    {"wait",
     "java/lang/Object",
     "wait",
     "()V",
     address(object_wait<kWaitForEver>),
     SampleKind::Wait,
     {},
     nullptr,
     false,
     false},
    {"sleep",
     "java/lang/Thread",
     "sleep",
     "(Ljava/lang/Object;JI)V",
     address(thread_sleep),
     SampleKind::Sleep,
     {},
     nullptr,
     false,
     true},
};

// ---------------------------------------------------------------- putting them in

bool register_native(JNIEnv* env, jclass java_class, const char* method, const char* signature, void* function) {
  // Our natives are never of a JNINativeMethod that is written to; the header wants it so.
  JNINativeMethod native{const_cast<char*>(method), const_cast<char*>(signature), function};
  const bool registered = env->RegisterNatives(java_class, &native, 1) == JNI_OK;
  return clear_exception(env) && registered;
}

bool register_native(JNIEnv* env, const Replacement& replacement, void* function) {
  return register_native(env, replacement.java_class, replacement.method, replacement.signature, function);
}

// No app calls these: for some µs, or where they do not tell what they are for, ours stands in for one, and does
// nothing.
struct Bystander {
  const char* method;
  const char* signature;
};
constexpr const char* kBystanderClass = "dalvik/system/VMDebug";
constexpr Bystander kBystanders[] = {{"printLoadedClasses", "(I)V"}, {"dumpReferenceTables", "()V"}, {"crash", "()V"}};
void does_nothing() {}

// Where an ArtMethod keeps its native function, in words: the one word that becomes ours by RegisterNatives. 0: it was
// not seen.
u32 find_native_entry(JNIEnv* env, jclass java_class, const Bystander& bystander) {
  constexpr u32 kMethodWords = 40 / sizeof(void*);  // the largest ArtMethod of any version
  jmethodID method = find_static_method(env, java_class, bystander.method, bystander.signature);
  ArtMethod* at = method ? art_method(env, java_class, method) : nullptr;
  void* ours = address(does_nothing);
  void* before[kMethodWords];
  void* after[kMethodWords];
  if (!at || !read_memory(at, before, sizeof before) ||
      !register_native(env, java_class, bystander.method, bystander.signature, ours) ||
      !read_memory(at, after, sizeof after))
    return 0;
  u32 word = 0, found = 0;
  for (u32 i = 1; i < kMethodWords; i++) {
    if (after[i] != ours || before[i] == ours) continue;
    word = i;
    found++;
  }
  if (found != 1) return 0;
  register_native(env, java_class, bystander.method, bystander.signature, before[word]);
  return word;
}

// In bytes, learned once; 0: not known.
u32 native_entry(JNIEnv* env) {
  u32& offset = g_art.internals.method_native_entry;
  jclass bystanders = offset ? nullptr : find_class(env, kBystanderClass);
  for (const Bystander& bystander : kBystanders)
    if (!offset && bystanders) offset = find_native_entry(env, bystanders, bystander) * sizeof(void*);
  return offset;
}

// The original of one that is replaced for the first time. Returns why it could not be had, or nullptr.
const char* find_original(JNIEnv* env, Replacement& replacement) {
  jclass local = find_class(env, replacement.class_name);
  if (!local) return "this Android has no such class";
  auto* find = replacement.is_static ? find_static_method : find_method;
  jmethodID method = find(env, local, replacement.method, replacement.signature);
  if (!method) return "this Android has no such method";
  const u32 entry = native_entry(env);
  ArtMethod* at = entry ? art_method(env, local, method) : nullptr;
  // In all versions: the class, then the access flags.
  constexpr u32 kNative = 0x100;
  u32 head[2];
  void* function = nullptr;
  if (!at || !read_memory(at, head, sizeof head) || !read_memory(at + entry, &function, sizeof function) || !function)
    return "the original could not be found";
  if (!(head[1] & kNative)) return "this Android's method is no native one";
  replacement.java_class = static_cast<jclass>(env->NewGlobalRef(local));
  if (!replacement.java_class) return "ART has no room for references";
  replacement.original.store_release(function);
  return nullptr;
}

}  // namespace

// A method id may be an index in debuggable apps: the address comes by reflection.
ArtMethod* art_method(JNIEnv* env, jclass java_class, jmethodID method) {
  jobject reflected = env->ToReflectedMethod(java_class, method, JNI_FALSE);  // ART does not look at the last
  clear_exception(env);
  jfieldID address = find_field(env, find_class(env, "java/lang/reflect/Executable"), "artMethod", "J");
  return reflected && address ? reinterpret_cast<ArtMethod*>(env->GetLongField(reflected, address)) : nullptr;
}

namespace {

const char* put_in(Session& session, JNIEnv* env, Replacement& replacement) {
  const char* why = replacement.original.load_relaxed() ? nullptr : find_original(env, replacement);
  if (!why && !register_native(env, replacement, replacement.ours)) why = "ART refused it";
  replacement.installed = !why;
  // A hook with several rows is in when one of them is: no Android has all.
  if (!why || session.hook_state(replacement.hook) != HookState::Installed)
    session.report_hook(replacement.hook, why ? HookState::Missing : HookState::Installed, why);
  return why;
}

}  // namespace

const char* stand_in_for_notify(Session& session, JNIEnv* env) {
  LocalFrame frame(env, 16);
  return frame ? put_in(session, env, g_replacements[kNotify]) : "ART has no room for references";
}

void replace_natives(Session& session, JNIEnv* env) {
  jclass thread = find_class(env, "java/lang/Thread");
  g_native_peer = find_field(env, thread, "nativePeer", "J");
  // Where ART tells of waits itself, by its monitors' callback, nothing stands in for them.
  const u32 end = session.hook_state("monitor") == HookState::Missing ? kReplacements : kWait;
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
  for (Replacement& replacement : g_replacements) {
    if (!replacement.installed) continue;
    replacement.installed = false;
    bool restored = register_native(env, replacement, replacement.original.load_relaxed());
    session.report_hook(replacement.hook, restored ? HookState::Removed : HookState::Failed,
                        restored ? nullptr : "ART refused to take the original back; ours passes on to it");
  }
}

}  // namespace btrace::art
