#include "rt/hotspot/blocking.h"

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
  if (!stack.commit_known()) stack.commit(walk_or_stub(capture));
}

}  // namespace

i64 end_block(ThreadRecord* record, SampleKind kind, const Blocked& block, u64 stub) {
  Session* session = active_session();
  if (!block.session || !session || session->id != block.session) return kNotCaptured;
  Capture capture;
  const i64 lasted_ns = now_ns() - block.begin_ns;
  if (!capture.begin(record, kind, is_forced(*session, *record, lasted_ns))) {
    leave_out_wait(*record, lasted_ns);
    return kNotCaptured;
  }
  Row& row = capture.row();
  row.time_ns = capture.session().since_origin(block.begin_ns);
  // To when the record was taken: what looked at this thread from outside before that lies within the wait.
  row.duration_ns = max_of<i64>(capture.begin_ns() - block.begin_ns, 1);
  read_counters(row, *record);
  row.cpu_duration_ns = row.cpu_ns - block.begin_cpu_ns;
  row.cpu_ns = block.begin_cpu_ns;
  row.type = block.type;
  row.object = block.object;
  row.peer = block.peer;
  row.flags |= block.flags | waited_before(*record, block.begin_ns, capture.begin_ns());
  i64 time_ns = row.time_ns;
  if (stub) {
    capture.frames()[0] = {stub, -1};
    capture.commit(1);
  } else {
    commit_stack(capture);
  }
  return time_ns;
}

i64 capture_release(ThreadRecord* record, SampleKind kind, u64 type, u64 object, u32 peer) {
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

Waker release(ThreadRecord& waiter, SampleKind kind, u64 type, u64 object) {
  Session* session = active_session();
  ThreadRecord* record = session ? g_threads.mine() : nullptr;
  if (!record) return {0, 0};
  i64 now = now_ns();
  i64 time_ns = kNotCaptured;
  if (worth_waking(waiter, object, now))
    time_ns = capture_release(record, kind, type, object, waiter.index.load_relaxed());
  Waker waker{index_in(*session, *record), time_ns == kNotCaptured ? session->since_origin(now) : time_ns};
  if (waker.index) tell_waker(waiter, waker.index, waker.time_ns);
  return waker;
}

}  // namespace btrace::hotspot
