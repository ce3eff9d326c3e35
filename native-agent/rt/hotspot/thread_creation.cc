#include "rt/hotspot/thread_creation.h"

#include "rt/hotspot/hooked_stack.h"
#include "rt/java/thread_creation.h"

namespace btrace::hotspot {

namespace {

void capture_creation(u32 child, const Registers& caller) {
  // Of native threads there is no Java stack; their children know them by their tid.
  ThreadRecord* record = g_threads.current_record_or_null();
  if (!record || !record->runtime_ref.load_acquire()) return;
  Capture capture;
  if (!capture.begin(record, SampleKind::ThreadStart, true)) return;
  read_counters(capture.row(), *record);
  capture.row().peer = child;
  capture.commit(walk_from_hook(capture, caller));
}

}  // namespace

void enable_thread_creation(Session& session) {
  btrace::enable_thread_creation(session, {"libjvm.so", capture_creation},
                                 g_hotspot.jvm.signal_walk ? nullptr : "this JVM's stacks cannot be walked there");
}

}  // namespace btrace::hotspot
