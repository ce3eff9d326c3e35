#include "rt/art/points.h"

#include "base/clock.h"
#include "core/capture.h"
#include "core/kernel_counters.h"
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
  row.message = state->message;
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

void capture_marker(JNIEnv* env, u32 text) {
  ThreadRecord* record = my_record(Internals::thread_of(env));
  auto capture = [&](ArtThread* self) { capture_here(self, record, SampleKind::Marker, {0, 0, 0, text}, true); };
  if (record) run_as_runnable(env, capture);
}

i64 end_block(ArtThread* self, ThreadRecord* record, SampleKind kind, bool force) {
  const Blocked block = record->block;
  record->block.session = 0;
  const Session* session = active_session();
  if (!block.session || !session || session->id != block.session) return kNotCaptured;
  const i64 duration_ns = now_ns() - block.begin_ns;
  Capture capture;
  if (!capture.begin(record, kind, force || is_forced(*session, *record, duration_ns))) {
    leave_out_wait(*record, duration_ns);
    return kNotCaptured;
  }
  Row& row = capture.row();
  read_counters(row, *record);
  row.time_ns = capture.session().since_origin(block.begin_ns);
  row.duration_ns = max_of<i64>(duration_ns, 1);
  row.cpu_duration_ns = max_of<i64>(row.cpu_ns - block.begin_cpu_ns, 0);
  row.cpu_ns = block.begin_cpu_ns;  // the clock at the row's time
  row.object = block.object;
  row.type = block.type;
  row.peer = block.peer;
  row.flags |= block.flags | waited_before(*record, block.begin_ns, block.begin_ns + row.duration_ns);
  i32 frames = 1;
  if (self)
    frames = walk_self(capture, self);
  else
    capture.frames()[0] = {kStubCollection, -1};
  if (frames < 0) return capture.lose(LossReason::WalkError), kNotCaptured;
  if (is_sleep(kind, capture.frames()[0].code)) {
    row.kind = SampleKind::Sleep;
    row.object = row.type = 0;
  }
  const i64 time_ns = row.time_ns;
  capture.commit(static_cast<u32>(frames));
  return time_ns;
}

void Art::see_block(Session&, ThreadRecord&, u64 leaf, SampleKind& kind, Blocked& block) {
  if (!is_sleep(kind, leaf)) return;
  kind = SampleKind::Sleep;
  block.object = block.type = 0;
}

void begin_wait(ThreadRecord& record, Object* const* handle) {
  record.block = begin_block();
  if (!record.block.session) return;
  const Object* object = held_by(handle);
  record.block.type = object ? class_key(object->klass) : 0;
  // Only who notifies looks through the handle.
  const Blocked announced = record.block;
  record.block.object = reinterpret_cast<u64>(handle);
  announce_wait(record, announced.type, SampleKind::Wait, announced);
}

void end_wait(ArtThread* self, ThreadRecord& record) {
  withdraw_wait(record);
  Blocked& block = record.block;
  // A wait that began before this session left no handle, or one that may be gone.
  if (!block.session || block.session != active_session_id()) return;
  block.object = monitor_id(held_by(reinterpret_cast<Object* const*>(block.object)));
  block.peer = record.waker.load_acquire();
  const Blocked ended = block;
  link_to_waker(record, ended, end_block(self, &record, SampleKind::Wait), LinkCertainty::ByIdentity);
}

}  // namespace btrace::art
