#include "rt/hotspot/waits.h"

#include "base/clock.h"
#include "rt/hotspot/stack_here.h"

namespace btrace::hotspot {

void identify(JNIEnv* env, jobject object, u64& type, u64& identity) {
  if (!object) return;
  jclass object_class = env->GetObjectClass(object);
  type = g_hotspot.jvm.class_of(env, object_class);
  env->DeleteLocalRef(object_class);
  jint hash = 0;
  if (g_hotspot.jvm.ti->GetObjectHashCode(object, &hash) == JVMTI_ERROR_NONE) identity = static_cast<u32>(hash);
}

namespace {

// A wait is worth telling even where the thread is on its way out and has no stack any more.
u32 walk_or_stub(Capture& capture) {
  u16& flags = capture.row().flags;
  i32 frames = capture.row().kind == SampleKind::Monitor
                   ? walk_thread(nullptr, capture.frames(), WalkBuffer::kFrames, flags)
                   : walk_in_native(capture.frames(), WalkBuffer::kFrames, flags);
  if (frames > 0) return static_cast<u32>(frames);
  capture.row().flags |= kFlagWalkFailed;
  capture.frames()[0] = {kStubNoFrames, -1};
  return 1;
}

void commit_stack(Capture& capture) {
  StackHere stack(capture);
  if (!stack.commit_cached_stack()) stack.commit(walk_or_stub(capture));
}

}  // namespace

i64 end_wait(ThreadRecord* record, SampleKind kind, const Wait& wait, u64 stub) {
  return capture_wait(*record, kind, wait, false, read_counters, [&](Capture& capture) {
    if (stub) {
      capture.frames()[0] = {stub, -1};
      capture.commit(1);
    } else {
      commit_stack(capture);
    }
    return true;
  });
}

i64 capture_waker_stack(ThreadRecord* record, SampleKind kind, u64 type, u64 object, u32 peer) {
  Capture capture;
  // A carrier wakes another one with nearly everything it does, and its stack may cost a hundred times as much as the
  // waking: by the gate alone it is taken.
  const bool force = kind == SampleKind::ThreadStart || !record->carries.load_relaxed();
  if (!capture.begin(record, kind, force)) return kNotCaptured;
  Row& row = capture.row();
  read_counters(row, *record);
  row.type = type;
  row.object = object;
  row.peer = peer;
  i64 time_ns = row.time_ns;
  commit_stack(capture);
  return time_ns;
}

Waker capture_wakeup(ThreadRecord& waiter, SampleKind kind, u64 type, u64 object) {
  Session* session = active_session();
  ThreadRecord* record = session ? g_threads.current_record() : nullptr;
  if (!record) return {0, 0};
  i64 now = now_ns();
  i64 time_ns = kNotCaptured;
  if (should_capture_wakeup(waiter, object, now))
    time_ns = capture_waker_stack(record, kind, type, object, waiter.index.load_relaxed());
  Waker waker{index_in(*session, *record), time_ns == kNotCaptured ? session->since_origin(now) : time_ns};
  if (waker.index) record_waker(waiter, waker.index, waker.time_ns);
  return waker;
}

}  // namespace btrace::hotspot
