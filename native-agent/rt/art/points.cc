#include "rt/art/points.h"

#include "base/clock.h"
#include "core/kernel_counters.h"
#include "core/wait_end.h"
#include "rt/art/art.h"
#include "rt/art/class_key.h"
#include "rt/art/runnable.h"
#include "rt/art/thread_state.h"

namespace btrace::art {

namespace {

// Nearly all of it is system calls: only for what is captured.
void read_counters(Row& row, ThreadRecord& record) {
  read_kernel_counters(row, record);
  const ThreadState* state = thread_state(record);
  if (!state) return;
  row.loop_message = state->loop_message;
  if (!counts_allocations()) return;
  row.allocations = static_cast<u32>(state->allocations);
  row.allocated_bytes = state->allocated_bytes;
  row.counters |= kCounterAllocations | kCounterAllocatedBytes;
}

i32 walk_self(Capture& capture, ArtThread* self) {
  const i32 frames = walk_stack(self, self, capture.frames(), WalkBuffer::kFrames, capture.row().flags);
  if (frames) return frames;
  // A thread that has no Java frame yet, or none any more: at its end it takes the lock of its own Thread.
  capture.frames()[0] = {kStubNoFrames, -1};
  return 1;
}

}  // namespace

u64 g_sleep_method;
Atomic<ArtThread*> g_held_thread;

i64 capture_here(ArtThread* self, ThreadRecord* record, SampleKind kind, const Subject& subject, bool force) {
  Capture capture;
  if (!capture.begin(record, kind, force)) return kNotCaptured;
  Row& row = capture.row();
  read_counters(row, *record);
  row.object = subject.object;
  row.type = subject.type;
  row.peer = subject.peer;
  row.text = subject.text;
  const i64 time_ns = row.time_ns;
  const i32 frames = walk_self(capture, self);
  if (frames < 0) return capture.lose(LossReason::WalkError), kNotCaptured;
  capture.commit(static_cast<u32>(frames));
  return time_ns;
}

void capture_marker(JNIEnv* env, u32 text, u64 object) {
  ThreadRecord* record = my_record(Internals::thread_of(env));
  auto capture = [&](ArtThread* self) {
    capture_here(self, record, SampleKind::Marker, {object, 0, 0, text}, true);
  };
  if (record) run_as_runnable(env, capture);
}

i64 end_wait(ArtThread* self, ThreadRecord* record, SampleKind kind, const Wait& wait, bool force) {
  return capture_wait(*record, kind, wait, force, read_counters, [&](Capture& capture) {
    i32 frames = 1;
    if (self)
      frames = walk_self(capture, self);
    else
      capture.frames()[0] = {kStubCollection, -1};
    if (frames < 0) return capture.lose(LossReason::WalkError), false;
    if (is_sleep(kind, capture.frames()[0].code)) {
      capture.row().kind = SampleKind::Sleep;
      capture.row().object = capture.row().type = 0;
    }
    capture.commit(static_cast<u32>(frames));
    return true;
  });
}

i64 end_wait(ArtThread* self, ThreadRecord* record, SampleKind kind) {
  const Wait wait = record->own.wait;
  record->own.wait.session = 0;
  return end_wait(self, record, kind, wait, false);
}

void Art::inspect_wait(Session&, ThreadRecord&, u64 leaf, SampleKind& kind, Wait& wait) {
  if (!is_sleep(kind, leaf)) return;
  kind = SampleKind::Sleep;
  wait.object = wait.type = 0;
}

void begin_object_wait(ThreadRecord& record, Object* const* handle) {
  const u64 held = reinterpret_cast<u64>(g_held_thread.load_relaxed());
  record.own.wait = held && record.runtime_thread.load_relaxed() == held ? Wait{} : begin_wait();
  if (!record.own.wait.session) return;
  const Object* object = held_by(handle);
  record.own.wait.type = object ? class_key(object->klass) : 0;
  // Only who notifies looks through the handle.
  const Wait published = record.own.wait;
  record.own.wait.object = reinterpret_cast<u64>(handle);
  publish_wait_for(record, published.type, SampleKind::Wait, published);
}

void end_object_wait(ArtThread* self, ThreadRecord& record) {
  withdraw_wait_for(record);
  Wait& wait = record.own.wait;
  // A wait that began before this session left no handle, or one that may be gone.
  if (!wait.session || wait.session != active_session_id()) return;
  wait.object = monitor_id(held_by(reinterpret_cast<Object* const*>(wait.object)));
  const Wait ended = wait;
  wait.session = 0;
  capture_linked_wait(record, ended, LinkCertainty::ByIdentity, [&](const Wait& ended_wait) {
    return end_wait(self, &record, SampleKind::Wait, ended_wait, false);
  });
}

}  // namespace btrace::art
