#include "rt/hotspot/monitor_release.h"

#include "os/imports.h"
#include "rt/hotspot/collection_waits.h"
#include "rt/hotspot/waits.h"
#include "rt/hotspot/hooked_stack.h"

namespace btrace::hotspot {

namespace {

struct Originals {
  int (*signal)(void* condition);
  int (*wait)(void* condition, void* mutex);
  int (*timed_wait)(void* condition, void* mutex, const void* until);
};
Originals original;
Imports g_imports;

// ---------------------------------------------------------------- the release

i64 capture_monitor_release(const MonitorRelease& release, const Registers& from) {
  Capture capture;
  if (!capture.begin(release.releaser, SampleKind::MonitorRelease, true)) return kNotCaptured;
  Row& row = capture.row();
  read_counters(row, *release.releaser);
  row.type = release.wait.type;
  row.object = release.wait.object;
  row.peer = release.waiter->index.load_relaxed();
  const i64 time_ns = row.time_ns;
  capture.commit(walk_from_hook(capture, from));
  return time_ns;
}

// On the thread that wakes another one: it may hold the JVM up, so it is short, takes no lock and calls no JNI.
void before_signal(void* condition, const Registers& from) {
  const MonitorRelease release = monitor_release_at(reinterpret_cast<u64>(condition));
  if (release.waiter)
    record_monitor_release(release, release.is_long ? capture_monitor_release(release, from) : kNotCaptured);
}

void before_sleep(void* condition) {
  if (ThreadRecord* record = waiting_for_monitor()) sleep_for_monitor(*record, reinterpret_cast<u64>(condition));
}

// ---------------------------------------------------------------- what libjvm calls

[[gnu::noinline]] int hook_signal(void* condition) {
  if (any_sleep_for_monitors()) {
    BTRACE_CALLER_REGISTERS(from);
    before_signal(condition, from);
  }
  return original.signal(condition);
}

[[gnu::noinline]] int hook_wait(void* condition, void* mutex) {
  before_sleep(condition);
  BTRACE_CALLER_REGISTERS(from);
  CollectionWait collection_wait(from);
  return original.wait(condition, mutex);
}

int hook_timed_wait(void* condition, void* mutex, const void* until) {
  before_sleep(condition);
  return original.timed_wait(condition, mutex, until);
}

bool bind_call(Imports& imports, const char* name, void** keep, void* hook) {
  *keep = imported_function(name);
  const Imports::Count count = imports.bind("libjvm.so", {name, *keep, hook});
  return count.bound && !count.refused;
}

#define BTRACE_ORIGINAL(name) reinterpret_cast<void**>(&original.name)
#define BTRACE_HOOK(name) reinterpret_cast<void*>(&name)

// Sleepers are met before anybody looks for them.
bool bind(Imports& imports) {
  return bind_call(imports, "pthread_cond_wait", BTRACE_ORIGINAL(wait), BTRACE_HOOK(hook_wait)) &&
         bind_call(imports, "pthread_cond_timedwait", BTRACE_ORIGINAL(timed_wait), BTRACE_HOOK(hook_timed_wait)) &&
         bind_call(imports, "pthread_cond_signal", BTRACE_ORIGINAL(signal), BTRACE_HOOK(hook_signal));
}

}  // namespace

void enable_monitor_releases(Session& session) {
  const Jvm& jvm = g_hotspot.jvm;
  const bool can_walk = jvm.signal_walk && jvm.code_bytes;
  session.images.refresh();
  btrace::enable_monitor_releases(
      session, g_imports,
      can_walk ? nullptr : "this JVM's stacks cannot be walked there: waits name the owner at their begin", bind);
}

void disable_monitor_releases(Session& session) {
  btrace::disable_monitor_releases(session, g_imports);
}

}  // namespace btrace::hotspot
