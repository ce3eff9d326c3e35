#include "base/clock.h"
#include "base/libc.h"
#include "os/machine.h"
#include "rt/hotspot/hotspot.h"

namespace btrace::hotspot {

namespace {

void free_info(JNIEnv* env, const jvmtiThreadInfo& info) {
  g_hotspot.jvm.free(info.name);
  if (info.thread_group) env->DeleteLocalRef(info.thread_group);
  if (info.context_class_loader) env->DeleteLocalRef(info.context_class_loader);
}

// The launcher runs main() on a thread of its own: among the first of Java's (1, from JDK 23 on 3), not of the process.
bool is_main(JNIEnv* env, jthread thread, u64 java_id) {
  constexpr u64 kLastId = 3;
  jvmtiThreadInfo info{};
  if (java_id > kLastId || g_hotspot.jvm.ti->GetThreadInfo(thread, &info) != JVMTI_ERROR_NONE) return false;
  bool named_so = info.name && strcmp(info.name, "main") == 0;
  free_info(env, info);
  return named_so;
}

// The JVM's own threads, by what the kernel keeps of their names: 15 bytes.
struct OwnThread {
  const char* begins;
  Stub root;
  const char* rest;  // what the kernel has cut off
};
constexpr OwnThread kOwnThreads[] = {
    {"C1 CompilerThre", kStubCompiler, "ad"},
    {"C2 CompilerThre", kStubCompiler, "ad"},
    {"JVMCI CompilerT", kStubCompiler, "hread"},
    {"JVMCI-native Co", kStubCompiler, "mpilerThread"},
    {"GC Thread#", kStubCollector, ""},
    {"G1 ", kStubCollector, ""},
    {"ParGC Thread#", kStubCollector, ""},
    {"Shenandoah", kStubCollector, ""},
    {"ZDirector", kStubCollector, ""},
    {"ZDriver", kStubCollector, ""},
    {"ZStat", kStubCollector, ""},
    {"ZWorker", kStubCollector, ""},
    {"ZUncommitter", kStubCollector, ""},
    {"ZUnmapper", kStubCollector, ""},
    {"XDirector", kStubCollector, ""},
    {"XDriver", kStubCollector, ""},
    {"XStat", kStubCollector, ""},
    {"XWorker", kStubCollector, ""},
    {"XUncommitter", kStubCollector, ""},
    {"XUnmapper", kStubCollector, ""},
    {"RuntimeWorker#", kStubCollector, ""},
    {"VM Thread", kStubJvm, ""},
    {"VM Periodic Tas", kStubJvm, "k Thread"},
    {"Service Thread", kStubJvm, ""},
    {"Monitor Deflati", kStubJvm, "on Thread"},
    {"Sweeper thread", kStubJvm, ""},
    {"Signal Dispatch", kStubJvm, "er"},
    {"Attach Listener", kStubJvm, ""},
    {"AsyncLog Thread", kStubJvm, ""},
    {"JFR ", kStubJvm, ""},
};

const OwnThread* own_thread(const char* comm) {
  for (const OwnThread& own : kOwnThreads)
    if (strncmp(comm, own.begins, strlen(own.begins)) == 0) return &own;
  return nullptr;
}

void complete_name(char* name, size_t size) {
  const OwnThread* own = own_thread(name);
  const size_t length = strlen(name);
  if (own && own->rest[0] && length + strlen(own->rest) < size) memcpy(name + length, own->rest, strlen(own->rest) + 1);
}

}  // namespace

namespace {

// The JavaThread of `record`, read without a check from then on: 0 unless it leads to the thread of the record.
u64 verified_thread(JNIEnv* env, jthread thread, const ThreadRecord& record) {
  const Jvm& jvm = g_hotspot.jvm;
  const u64 java_thread = jvm.thread_of(env, thread);
  return java_thread && jvm.tid_of(java_thread) == record.tid.load_relaxed() ? java_thread : 0;
}

}  // namespace

NativeThread HotSpot::native_thread(const char* comm) {
  const OwnThread* own = own_thread(comm);
  return own ? NativeThread{own->root, ThreadKind::Runtime} : NativeThread{kStubNative, ThreadKind::Native};
}

namespace {

// `java_thread`: the JavaThread of `record`, or 0.
void meet_verified(JNIEnv* env, jthread thread, u64 java_thread, ThreadRecord& record) {
  g_threads.index_runtime(record, java_thread);
  if (g_hotspot.jvm.thread_id) {
    u64 id = g_hotspot.jvm.java_id_of(env, thread);
    record.program_id.store_relaxed(id);
    record.is_main = is_main(env, thread, id);
  }
  u64 base = 0, size = 0;
  if (g_hotspot.jvm.stack_of(java_thread, base, size)) {
    record.stack_begin.store_relaxed(base - size);
    record.stack_end.store_relaxed(base);
  }
  // Weak: the agent does not keep a thread's object alive.
  record.runtime_ref.store_release(env->NewWeakGlobalRef(thread));
}

}  // namespace

void meet_thread(JNIEnv* env, jthread thread, ThreadRecord& record) {
  if (!record.runtime_ref.load_acquire()) meet_verified(env, thread, verified_thread(env, thread, record), record);
}

// The drain names threads a third of a second later, and the object of one that has ended may be collected by then.
void end_thread(JNIEnv* env, jthread thread, ThreadRecord& record) {
  if (active_session_id() && record.runtime_ref.load_relaxed())
    record.runtime_kept.store_release(env->NewGlobalRef(thread));
  g_threads.end(record, false);
}

ThreadRecord* my_record(JNIEnv* env, jthread thread) {
  // It was met when it started or when the recording began: else this is one on its way out, which has no stack any
  // more.
  ThreadRecord* record = g_threads.find_current_record();
  if (!record || !record->runtime_ref.load_relaxed()) return nullptr;
  if (!record->runtime_thread.load_relaxed()) g_threads.index_runtime(*record, verified_thread(env, thread, *record));
  return record;
}

void HotSpot::meet_threads(JNIEnv* env) {
  jint count = 0;
  jthread* threads = nullptr;
  if (jvm.ti->GetAllThreads(&count, &threads) != JVMTI_ERROR_NONE) return;
  env->EnsureLocalCapacity(count);  // with -Xcheck:jni the JVM complains of more than a few
  for (jint i = 0; i < count; i++) {
    const u64 java_thread = jvm.thread_of(env, threads[i]);
    const u32 tid = jvm.tid_of(java_thread);
    ThreadRecord* record = tid ? g_threads.obtain(tid) : nullptr;
    if (record && record->busy.load() != Holder::Never && !record->runtime_ref.load_acquire())
      meet_verified(env, threads[i], java_thread, *record);
    env->DeleteLocalRef(threads[i]);
  }
  jvm.free(threads);
}

void HotSpot::describe_thread(ThreadRecord& record, ThreadDescription& thread) {
  thread.program_id = record.program_id.load_relaxed();
  auto reference = static_cast<jthread>(record.runtime_ref.load_acquire());
  // The kernel may have told of it before the JVM did.
  if (reference) thread.kind = ThreadKind::Platform;
  JNIEnv* env = jvm.env();
  jobject live = reference && env ? env->NewLocalRef(reference) : nullptr;
  jvmtiThreadInfo info{};
  if (live && jvm.ti->GetThreadInfo(live, &info) == JVMTI_ERROR_NONE) {
    if (info.name) {
      size_t length = min_of(strlen(info.name), sizeof thread.name - 1);
      memcpy(thread.name, info.name, length);
      thread.name[length] = 0;
    }
    free_info(env, info);
  } else if (!reference) {
    if (!record.native.root && record.created_in.load_acquire()) {
      KernelName::Text name;
      read_kernel_name(record, name);
      memcpy(thread.name, name, sizeof name);
      thread.kind = ThreadKind::Native;
    } else if (!record.native.root) {
      thread.kind = ThreadKind::Runtime;
      thread_comm(record.tid.load_relaxed(), thread.name, sizeof thread.name);
    } else {
      KernelName::Text name;
      record.native.name.read(name);
      memcpy(thread.name, name, sizeof name);
      complete_name(thread.name, sizeof thread.name);
    }
  }
  if (record.carries.load_relaxed()) thread.kind = ThreadKind::Carrier;
  if (live) env->DeleteLocalRef(live);
}

void HotSpot::forget_thread(ThreadRecord& record) {
  auto reference = static_cast<jweak>(record.runtime_ref.load_acquire());
  auto kept = static_cast<jobject>(record.runtime_kept.exchange(nullptr));
  record.runtime_ref.store_release(nullptr);
  // The thread may leave the JVM and come back as another one while nobody listens.
  record.runtime_thread.store_relaxed(0);
  JNIEnv* env = reference || kept ? jvm.env() : nullptr;
  if (env && reference) env->DeleteWeakGlobalRef(reference);
  if (env && kept) env->DeleteGlobalRef(kept);
}

bool HotSpot::enter_agent_thread(const char* name) {
  JavaVMAttachArgs arguments{JNI_VERSION_1_6, const_cast<char*>(name), nullptr};  // only read
  void* env = nullptr;
  return jvm.vm->AttachCurrentThreadAsDaemon(&env, &arguments) == JNI_OK;
}

void HotSpot::leave_agent_thread() {
  jvm.vm->DetachCurrentThread();
}

}  // namespace btrace::hotspot
