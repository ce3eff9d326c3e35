#include "base/clock.h"
#include "base/libc.h"
#include "base/pages.h"
#include "os/linux/machine.h"
#include "rt/art/art.h"
#include "rt/art/jni_lookup.h"
#include "rt/art/points.h"
#include "rt/art/runnable.h"
#include "rt/art/thread_state.h"

namespace btrace::art {

namespace {

constexpr size_t kStates = size_t{ThreadRegistry::kSlabRecords} * ThreadRegistry::kMaxSlabs;
constexpr jint kMostThreads = 65536;
ThreadState* g_states;
constexpr u32 kInternalReason = 0;

// java.lang.Thread and ThreadGroup as JNI sees them.
struct JavaThreads {
  jclass thread;         // a global reference
  jfieldID native_peer;  // art::Thread*
  jmethodID current, name, group, parent, count, enumerate;

  bool find(JNIEnv* env);
};

bool JavaThreads::find(JNIEnv* env) {
  if (thread) return true;
  jclass thread_class = find_class(env, "java/lang/Thread");
  jclass group_class = find_class(env, "java/lang/ThreadGroup");
  native_peer = find_field(env, thread_class, "nativePeer", "J");
  current = find_static_method(env, thread_class, "currentThread", "()Ljava/lang/Thread;");
  name = find_method(env, thread_class, "getName", "()Ljava/lang/String;");
  group = find_method(env, thread_class, "getThreadGroup", "()Ljava/lang/ThreadGroup;");
  parent = find_method(env, group_class, "getParent", "()Ljava/lang/ThreadGroup;");
  count = find_method(env, group_class, "activeCount", "()I");
  enumerate = find_method(env, group_class, "enumerate", "([Ljava/lang/Thread;)I");
  if (!native_peer || !current || !name || !group || !parent || !count || !enumerate) return false;
  thread = static_cast<jclass>(env->NewGlobalRef(thread_class));
  return thread != nullptr;
}

JavaThreads g_java;  // of the recorder's thread only

// Calls `each(java thread, art thread)` for all that live; each may end at any moment after.
template <class Each>
void for_each_java_thread(JNIEnv* env, Each each) {
  LocalFrame frame(env, 64);
  if (!frame || !g_java.find(env)) return;
  jobject self = env->CallStaticObjectMethod(g_java.thread, g_java.current);
  // The calling thread's own group is an inner one.
  jobject group = self ? env->CallObjectMethod(self, g_java.group) : nullptr;
  for (jobject outer = group; outer; outer = env->CallObjectMethod(outer, g_java.parent)) group = outer;
  if (!group) return;
  const jint room = min_of(env->CallIntMethod(group, g_java.count) + 16, kMostThreads);
  jobjectArray threads = env->NewObjectArray(room, g_java.thread, nullptr);
  const jint found = threads ? env->CallIntMethod(group, g_java.enumerate, threads) : 0;
  if (!clear_exception(env)) return;
  for (jint i = 0; i < found; i++) {
    jobject thread = env->GetObjectArrayElement(threads, i);
    if (!thread) continue;
    each(thread, reinterpret_cast<ArtThread*>(env->GetLongField(thread, g_java.native_peer)));
    env->DeleteLocalRef(thread);
  }
}

void copy_java_name(JNIEnv* env, jobject thread, char* to, size_t size) {
  auto name = static_cast<jstring>(env->CallObjectMethod(thread, g_java.name));
  if (!clear_exception(env) || !name) return;
  if (const char* text = env->GetStringUTFChars(name, nullptr)) {
    size_t length = min_of(strlen(text), size - 1);
    memcpy(to, text, length);
    to[length] = 0;
    env->ReleaseStringUTFChars(name, text);
  }
  env->DeleteLocalRef(name);
}

void bind(ThreadRecord& record, ArtThread* thread, u32 art_id) {
  g_threads.index_runtime(record, reinterpret_cast<u64>(thread));
  // What a walk from outside asks by: ART's own id, checked by ART itself, cannot dangle.
  record.runtime_ref.store_release(reinterpret_cast<void*>(static_cast<uintptr_t>(art_id)));
}

// Threads that were created and have not begun yet. An entry whose thread never began is written over.
struct Created {
  Atomic<u64> peer;
  Atomic<u32> creator;
  Atomic<u32> session;
};
constexpr u32 kCreated = 64;
Created g_created[kCreated];

Created& created_as(u64 peer) {
  return g_created[(peer >> 8) % kCreated];
}

// Whoever comes second, the creator or the child itself, finds what the other left.
void take_creator(ThreadRecord& child, u64 peer) {
  Created& created = created_as(peer);
  if (created.peer.load() != peer || created.session.load_relaxed() != active_session_id()) return;
  child.creator.store_relaxed(created.creator.load_relaxed());
  created.peer.store(0);
}

}  // namespace

ThreadRecord* tell_creator(u64 peer, u32 creator) {
  Created& created = created_as(peer);
  created.peer.store(0);
  created.creator.store_relaxed(creator);
  created.session.store_relaxed(active_session_id());
  created.peer.store(peer);
  ThreadRecord* child = g_threads.find_runtime(peer);
  if (child) take_creator(*child, peer);
  return child;
}

ThreadState* thread_state(const ThreadRecord& record) {
  ThreadState* states = __atomic_load_n(&g_states, __ATOMIC_ACQUIRE);
  return states ? states + record.slot : nullptr;
}

ThreadRecord* my_record(ArtThread* self) {
  ThreadRecord* record = g_threads.mine();
  if (record && self && record->runtime_thread.load_relaxed() != reinterpret_cast<u64>(self))
    bind(*record, self, g_art.internals.art_id_of(self));
  return record;
}

ThreadRecord* record_of_art_id(u32 art_id) {
  if (!art_id) return nullptr;
  for (u32 slot = 0, end = g_threads.slots(); slot < end; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.runtime_ref.load_relaxed() == reinterpret_cast<void*>(static_cast<uintptr_t>(art_id)) &&
        record.state.load_acquire() == ThreadRecord::State::Live)
      return &record;
  }
  return nullptr;
}

void note_thread_start(ArtThread* self) {
  ThreadRecord* record = my_record(self);
  if (!record || record->busy.load() == Holder::Never) return;
  record->begin_ns.store_relaxed(now_ns());
  if (ThreadState* state = thread_state(*record)) {
    *state = ThreadState{};
    thread_comm(record->tid.load_relaxed(), state->name, sizeof state->name);
  }
  take_creator(*record, reinterpret_cast<u64>(self));
}

void meet_threads(JNIEnv* env) {
  if (!g_states) __atomic_store_n(&g_states, map_array<ThreadState>(kStates), __ATOMIC_RELEASE);
  const Internals& art = g_art.internals;
  if (!art.thread_tid) return;
  for_each_java_thread(env, [&](jobject, ArtThread* thread) {
    // It may be ending: its memory is read with care, and what is read must name a thread of this process.
    u32 ids[2];
    if (!thread || !read_memory(thread + art.thread_tid - 4, ids, sizeof ids) || !ids[0]) return;
    if (thread_cpu_ns(ids[1]) < 0) return;
    ThreadRecord* record = g_threads.obtain(ids[1]);
    if (record && record->busy.load() != Holder::Never) bind(*record, thread, ids[0]);
  });
}

void Art::describe_thread(ThreadRecord& record, ThreadDescription& thread) {
  // Android calls it so; while the runtime ends it bears another name.
  if (record.is_main) {
    memcpy(thread.name, "main", sizeof "main");
    return;
  }
  const u64 wanted = record.runtime_thread.load_relaxed();
  JNIEnv* env = internals.env();
  bool named = false;
  if (wanted && env && record.state.load_acquire() == ThreadRecord::State::Live)
    for_each_java_thread(env, [&](jobject java, ArtThread* art_thread) {
      if (reinterpret_cast<u64>(art_thread) != wanted) return;
      copy_java_name(env, java, thread.name, sizeof thread.name);
      named = thread.name[0] != 0;
    });
  if (named) return;
  if (!wanted) thread.kind = ThreadKind::Native;
  ThreadState* state = thread_state(record);
  if (state && state->name[0])
    memcpy(thread.name, state->name, sizeof state->name);
  else
    thread_comm(record.tid.load_relaxed(), thread.name, sizeof thread.name);
}

void Art::forget_thread(ThreadRecord& record) {
  record.runtime_thread.store_relaxed(0);
  record.runtime_ref.store_release(nullptr);
}

bool Art::enter_agent_thread(const char* name) {
  if (ThreadRecord* record = g_threads.mine()) record->busy.store(Holder::Never);
  char text[32];
  size_t length = min_of(strlen(name), sizeof text - 1);
  memcpy(text, name, length);
  text[length] = 0;
  JavaVMAttachArgs arguments{JNI_VERSION_1_6, text, nullptr};
  JNIEnv* env = nullptr;
  // Android's jni.h wants JNIEnv**, the JDK's void**.
  return internals.vm->functions->AttachCurrentThreadAsDaemon(internals.vm, reinterpret_cast<void**>(&env),
                                                              &arguments) == JNI_OK;
}

void Art::leave_agent_thread() {
  internals.vm->DetachCurrentThread();
}

namespace {

struct OutsideWalk {
  ArtThread* thread;
  Frame* frames;
  u32 limit;
  u16* flags;
  i32 count;
};

void walk_suspended(ArtThread* self, void* data) {
  auto& walk = *static_cast<OutsideWalk*>(data);
  walk.count = walk_stack(self, walk.thread, walk.frames, walk.limit, *walk.flags);
}

ArtThread* suspend_by_id(const Internals& art, u32 art_id, bool& timed_out) {
  if (art.variant(Need::SuspendByThreadId) == kSuspendForDebugger)
    return art.as<ArtThread*(u8*, u32, bool, bool*)>(Need::SuspendByThreadId)(art.thread_list, art_id, false,
                                                                              &timed_out);
  return art.as<ArtThread*(u8*, u32, u32, bool*)>(Need::SuspendByThreadId)(art.thread_list, art_id, kInternalReason,
                                                                           &timed_out);
}

}  // namespace

// In between the thread stands still and the walk is all that is done: first suspended, then the walker made Runnable.
// The other way round ART would wait for itself.
i32 Art::walk_outside(ThreadRecord& record, Frame* frames, u32 limit, u16& flags) {
  // While the runtime ends, the thread that waits for the agent is Runnable and would never be suspended.
  if (!walks_outside() || runtime_ends()) return 0;
  const u32 art_id = static_cast<u32>(reinterpret_cast<uintptr_t>(record.runtime_ref.load_acquire()));
  if (!art_id) return 0;
  bool timed_out = false;
  ArtThread* thread = suspend_by_id(internals, art_id, timed_out);
  if (!thread) return timed_out ? -1 : 0;
  OutsideWalk walk{thread, frames, limit, &flags, kNotWalked};
  Errand errand{walk_suspended, &walk, false};
  run_as_runnable(internals.env(), errand);
  internals.as<bool(u8*, ArtThread*, u32)>(Need::Resume)(internals.thread_list, thread, kInternalReason);
  return walk.count;
}

}  // namespace btrace::art
