#include "rt/hotspot/hotspot.h"

#include "base/libc.h"
#include "rt/hotspot/waits.h"
#include "rt/hotspot/program_name.h"
#include "rt/hotspot/socket_waits.h"

namespace btrace::hotspot {

HotSpot g_hotspot;

namespace {

void copy_property(const Jvm& jvm, const char* property, char* to, size_t size) {
  char* value = nullptr;
  if (jvm.ti->GetSystemProperty(property, &value) != JVMTI_ERROR_NONE) value = nullptr;
  size_t length = value ? min_of(strlen(value), size - 1) : 0;
  if (length) memcpy(to, value, length);
  to[length] = 0;
  jvm.free(value);
}

// The memory of the JVM's counters, as jstat gets it of another JVM; this way it is there whatever user or container the
// JVM is in.
JvmCounters counters_of(JNIEnv* env) {
  JvmCounters counters;
  jclass perf = env->FindClass("jdk/internal/perf/Perf");
  jmethodID get = perf ? env->GetStaticMethodID(perf, "getPerf", "()Ljdk/internal/perf/Perf;") : nullptr;
  jobject self = get ? env->CallStaticObjectMethod(perf, get) : nullptr;
  if (self && !env->ExceptionCheck()) {
    // Of process 0, which is this one. Before JDK 21 it wants to know what for.
    jmethodID attach = env->GetMethodID(perf, "attach", "(I)Ljava/nio/ByteBuffer;");
    jobject buffer = nullptr;
    if (attach) {
      buffer = env->CallObjectMethod(self, attach, 0);
    } else {
      env->ExceptionClear();
      attach = env->GetMethodID(perf, "attach", "(ILjava/lang/String;)Ljava/nio/ByteBuffer;");
      jstring to_read = attach ? env->NewStringUTF("r") : nullptr;
      if (to_read) buffer = env->CallObjectMethod(self, attach, 0, to_read);
    }
    if (buffer && !env->ExceptionCheck()) {
      counters.begin = static_cast<const u8*>(env->GetDirectBufferAddress(buffer));
      counters.size = static_cast<size_t>(max_of<jlong>(env->GetDirectBufferCapacity(buffer), 0));
    }
  }
  if (env->ExceptionCheck()) env->ExceptionClear();
  return counters;
}

}  // namespace

void HotSpot::describe(TargetDescription& target) {
  char* command = nullptr;
  if (jvm.ti->GetSystemProperty("sun.java.command", &command) == JVMTI_ERROR_NONE)
    name_program(command, target.name, sizeof target.name);
  jvm.free(command);
  static constexpr char kName[] = "HotSpot ";
  memcpy(target.runtime, kName, sizeof kName);
  copy_property(jvm, "java.vm.version", target.runtime + sizeof kName - 1, sizeof target.runtime - sizeof kName);
}

void HotSpot::install(Session& session) {
  JNIEnv* env = jvm.env();
  if (!explored_) {
    jvm.explore(env);
    if (env->PushLocalFrame(8) == JNI_OK) {
      stops_.init(counters_of(env));
      env->PopLocalFrame(nullptr);
    } else {
      env->ExceptionClear();  // no memory for it
    }
  }
  explored_ = true;
  const i64 stopped_before_ns = stops_.total_ns();
  session.images.set_runtime(reinterpret_cast<uintptr_t>(jvm.signal_walk));
  if (!jvm.get_long)
    session.report_hook("structures", HookState::Missing, "this JVM names no function that reads fields safely");
  else if (!jvm.thread_pointer)
    session.report_hook("structures", HookState::Missing, "this JVM's structure table could not be verified");
  prepare_virtual_threads(session);
  set_callbacks();
  meet_threads(env);
  enable_points(session);
  begin_method_ids(session);
  install_natives(session);
  install_socket_waits(session);
  meet_threads(env);  // those that started meanwhile
  enable_off_carrier_waits(session, env);
  book_stop(session, stopped_before_ns);
}

// A collection that came in between is in it.
void HotSpot::book_stop(Session& session, i64 before_ns) {
  const i64 now_ns = stops_.total_ns();
  if (before_ns < 0 || now_ns < before_ns) return;
  session.stopped_ns.add_relaxed(static_cast<u64>(now_ns - before_ns));
  session.tells_stops.store_relaxed(1);
}

i64 HotSpot::heap_used() {
  if (!jvm.total_memory || !jvm.free_memory) return -1;
  // A collection may come in between.
  i64 free = jvm.free_memory();
  return max_of<i64>(jvm.total_memory() - free, 0);
}

void HotSpot::remove(Session& session) {
  const i64 stopped_before_ns = stops_.total_ns();
  remove_socket_waits(session);
  remove_natives(session);
  disable_points(session);
  report_virtual_threads(session);
  disable_off_carrier_waits(session);
  release_virtual_threads(session);
  book_stop(session, stopped_before_ns);
}

}  // namespace btrace::hotspot
