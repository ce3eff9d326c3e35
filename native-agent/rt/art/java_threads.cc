// The threads that Java knows, all in one look: who they are, and what they are called.
#include "base/clock.h"
#include "base/libc.h"
#include "os/machine.h"
#include "rt/art/art.h"
#include "rt/art/jni_lookup.h"
#include "rt/art/runnable.h"
#include "rt/art/thread_state.h"

namespace btrace::art {

namespace {

constexpr jint kMostThreads = 65536;

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

JavaThreads g_java;  // looked up when a recording begins, before there is a second agent thread

// Calls `each(java thread, art thread)`.
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

}  // namespace

void meet_threads(JNIEnv* env) {
  const Internals& art = g_art.internals;
  if (!art.places.thread_tid) return;
  for_each_java_thread(env, [&](jobject java, ArtThread* thread) {
    // It may be ending: its memory is read with care, and what is read must name a thread of this process.
    u32 ids[2];
    if (!thread || !read_memory(thread + art.places.thread_tid - 4, ids, sizeof ids) || !ids[0]) return;
    if (thread_cpu_ns(ids[1]) < 0) return;
    ThreadRecord* record = g_threads.obtain(ids[1]);
    if (!record || record->busy.load() == Holder::Never) return;
    bind(*record, thread, ids[0]);
    if (ThreadState* state = thread_state(*record)) {
      copy_java_name(env, java, state->java_name, sizeof state->java_name);
      state->named.store_relaxed(reinterpret_cast<u64>(thread));
    }
  });
}

void each_java_thread(JNIEnv* env, EachJavaThread each, u32 data) {
  for_each_java_thread(env, [&](jobject java, ArtThread* thread) { each(env, java, thread, data); });
}

void Art::describe_thread(ThreadRecord& record, ThreadDescription& thread) {
  // Android calls it so; while the runtime ends it bears another name.
  if (record.is_main) {
    memcpy(thread.name, "main", sizeof "main");
    return;
  }
  const u64 wanted = record.runtime_thread.load_relaxed();
  // It may have been met before ART told of its start.
  thread.kind = wanted ? ThreadKind::Platform : ThreadKind::Native;
  ThreadState* state = thread_state(record);
  JNIEnv* env = internals.env();
  if (wanted && state && env && state->named.load_relaxed() != wanted &&
      record.state.load_acquire() == ThreadRecord::State::Live) {
    // All that are new, at once.
    auto meet = [&](ArtThread*) { meet_threads(env); };
    if (!run_as_runnable(env, meet)) meet_threads(env);
  }
  if (wanted && state && state->named.load_relaxed() == wanted && state->java_name[0])
    memcpy(thread.name, state->java_name, sizeof state->java_name);
  else if (wanted && state && state->kernel_name[0])
    memcpy(thread.name, state->kernel_name, sizeof state->kernel_name);
  else if (record.state.load_acquire() == ThreadRecord::State::Live)
    thread_comm(record.tid.load_relaxed(), thread.name, sizeof thread.name);
  // Its creator's, which it had at first, when it was over before it was asked again.
  KernelName::Text name;
  record.native.name.read(name);
  if (!thread.name[0]) memcpy(thread.name, name, sizeof name);
}

}  // namespace btrace::art
