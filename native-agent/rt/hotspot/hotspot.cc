#include "rt/hotspot/hotspot.h"

#include "base/libc.h"
#include "rt/hotspot/blocking.h"
#include "rt/hotspot/program_name.h"

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
  if (!explored_) jvm.explore(env);
  explored_ = true;
  session.images.set_runtime(reinterpret_cast<uintptr_t>(jvm.signal_walk));
  if (!jvm.thread_pointer)
    session.report_hook("structures", HookState::Missing, "this JVM's structure table could not be verified");
  prepare_virtual_threads(session);
  set_callbacks();
  meet_threads(env);
  enable_points(session);
  begin_method_ids(session);
  install_natives(session);
  meet_threads(env);  // those that started meanwhile
  enable_virtual_waits(session, env);
}

i64 HotSpot::heap_used() {
  if (!jvm.total_memory || !jvm.free_memory) return -1;
  // A collection may come in between.
  i64 free = jvm.free_memory();
  return max_of<i64>(jvm.total_memory() - free, 0);
}

void HotSpot::remove(Session& session) {
  remove_natives(session);
  disable_points(session);
  report_virtual_threads(session);
  disable_virtual_waits(session);
  release_virtual_threads(session);
}

}  // namespace btrace::hotspot
