#include "core/cpu_timers.h"

#include "base/clock.h"
#include "core/kernel_counters.h"
#include "core/native_frames.h"
#include "core/slot_set.h"
#include "os/process.h"

namespace btrace {

namespace {

// What the handler needs; it is the same code for all threads and knows no object.
Atomic<Runtime*> g_runtime;
SlotSet g_due;
Atomic<u32> g_due_count;  // counts up with each that is put in; the sampler waits on it

// When the record is held no more, for who finds it here wants to hold it: it may be another thread's by now, or empty.
void mark_due(u32 slot) {
  g_due.put(slot);
  g_due_count.add(1);
  wake_waiting(g_due_count, 1);
}

// In native code the runtime's frames end at the method that was called. What that was at is the instruction's image,
// with the functions between the two if all of them are known.
u32 add_native(Session& session, const ThreadRecord& record, const void* context, uintptr_t managed, Frame* frames,
               u32 count) {
  Images& images = session.images;
  const Registers at = interrupted_at(context);
  const u32 image = count + NativeStacks::kMost < WalkBuffer::kFrames ? images.find(at.pc) : Images::kNone;
  if (image == Images::kNone) return count;
  NativePlace places[NativeStacks::kMost];
  const NativeStackRange stack{static_cast<uintptr_t>(record.stack_begin.load_relaxed()),
                               static_cast<uintptr_t>(record.stack_end.load_relaxed()), managed};
  const u32 found = session.natives.walk(images, at, stack, places);
  u32 natives = 1;
  for (u32 i = 1; i < found; i++)
    if (images.shows_callers(places[i].image)) places[natives++] = places[i];
  places[0] = {at.pc, image};
  memmove(frames + natives, frames, count * sizeof *frames);
  for (u32 i = 0; i < natives; i++)
    frames[i] = {places[i].address - images.at(places[i].image).base, kFirstImage + places[i].image};
  return count + natives;
}

// A thread without any frames of the runtime's.
void interrupt_native(Capture& capture, ThreadRecord& record, const void* context) {
  Frame* frames = capture.frames();
  bool is_whole;
  const u32 count = walk_native(capture.session(), interrupted_at(context), frames, is_whole);
  capture.row().flags |= kFlagNativeState;
  if (!is_whole) capture.row().flags |= kFlagCut;
  const Frame root{record.native.root, -1};
  capture.stood_until_now(root);
  frames[count] = root;
  capture.commit(count + 1);
}

// `overruns`: intervals that ended while the thread could not be interrupted, as within a system call.
void interrupt(ThreadRecord& record, u32 overruns, void* context) {
  Capture capture;
  Runtime* runtime = g_runtime.load_acquire();
  if (!runtime) return;
  if (!capture.begin_interrupted(&record)) {
    record.timer.due_intervals.add_relaxed(1 + overruns);
    return;
  }
  // Only one that is held stays a thread's.
  if (record.tid.load_relaxed() != own_tid()) return capture.abandon();
  // What only the runtime can count goes on from the last capture. Before the walk: its cost belongs to the time after
  // this sample, by both clocks.
  capture.row().carry_on(record.held.counters);
  read_kernel_counters(capture.row(), record);
  if (!record.runtime_ref.load_acquire() && record.native.session.load_relaxed() == capture.session().id) {
    capture.row().overruns = overruns + record.timer.due_intervals.exchange(0);
    runtime->read_native_counters(capture.row());
    return interrupt_native(capture, record, context);
  }
  const u32 slot = record.slot;
  WalkNotes notes;
  i32 frames = runtime->walk_here(record, context, capture.frames(), WalkBuffer::kFrames, notes);
  if (frames <= 0) {
    record.timer.provisional_ns.store_relaxed(0);
    record.timer.due_intervals.add_relaxed(1 + overruns);
    record.timer.due_in.store_release(capture.session().id);
    capture.abandon();
    mark_due(slot);
    return;
  }
  notes.tell(capture.row());
  capture.row().overruns = overruns + record.timer.due_intervals.exchange(0);
  u32 count = static_cast<u32>(frames);
  if (capture.row().flags & kFlagNativeState)
    count = add_native(capture.session(), record, context, notes.managed, capture.frames(), count);
  if (notes.provisional) {
    record.timer.provisional_ns.store_release(capture.row().time_ns);
    record.timer.due_in.store_release(capture.session().id);
  }
  capture.commit(count);
  if (notes.provisional) mark_due(slot);
}

// Beside the one that every interrupt stands for, in intervals as they are configured.
u32 intervals_over(const ThreadRecord& record, u32 overruns) {
  return (1 + overruns) * max_of<u32>(record.timer.stretch.load_relaxed(), 1) - 1;
}

void on_signal(int, SignalInfo* info, void* context) {
  ThreadRecord* record = info->code == kSentByTimer ? g_threads.owned(info->value) : nullptr;
  // The record may be another thread's by now.
  if (!record || record->tid.load_relaxed() != own_tid()) return;
  // Another profiler's handler is no part of the program.
  void* program = program_context(context, static_cast<uintptr_t>(record->stack_begin.load_relaxed()),
                                  static_cast<uintptr_t>(record->stack_end.load_relaxed()));
  interrupt(*record, intervals_over(*record, static_cast<u32>(max_of(info->overrun, 0))), program);
}

}  // namespace

const char* CpuTimers::start(Session& session, Runtime& runtime) {
  session_ = &session;
  interval_ns_ = session.config.async_interval_ns;
  int number = free_signal(runtime.may_take_sigprof());
  if (!number) return "all signals are in use";
  session.images.refresh();
  g_runtime.store(&runtime);
  if (!set_handler(number, on_signal, before_)) return "the kernel refused a signal handler";
  learn_signal_returns();
  signal_ = number;
  return nullptr;
}

bool CpuTimers::still_ours() const {
  SignalAction now;
  return read_action(signal_, now) && now.handler == on_signal;
}

void CpuTimers::stop() {
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) unwatch(g_threads.at(slot));
  if (signal_ && still_ours()) restore_action(signal_, before_);
  signal_ = 0;
}

bool CpuTimers::watch(ThreadRecord& record) {
  u32 tid = record.tid.load_relaxed();
  const u32 stretch = session_->timer_stretch();
  if (record.timer.tid != tid) {
    unwatch(record);
    i32 timer = make_cpu_timer(tid, signal_, &record);
    if (timer < 0) return false;
    record.timer.id = timer;
    record.timer.tid = tid;
  } else if (record.timer.stretch.load_relaxed() == stretch) {
    return true;
  }
  record.timer.stretch.store_relaxed(stretch);
  return start_timer(record.timer.id, interval_ns_ * stretch);
}

void CpuTimers::unwatch(ThreadRecord& record) {
  if (!record.timer.tid) return;
  delete_timer(record.timer.id);
  record.timer.tid = 0;
}

void CpuTimers::wait(i64 ns, const Atomic<u32>& asked_to_end) {
  // In this order: who asks says so before it wakes.
  u32 count = g_due_count.load();
  if (!g_due.is_empty() || asked_to_end.load()) return;
  wait_while(g_due_count, count, ns);
}

void CpuTimers::wake() {
  g_due_count.add(1);
  wake_waiting(g_due_count, 1);
}

ThreadRecord* CpuTimers::take_due() {
  for (u32 slot = g_due.take(); slot != SlotSet::kNone; slot = g_due.take())
    if (ThreadRecord& record = g_threads.at(slot); record.timer.due_in.load_acquire() == session_->id) return &record;
  return nullptr;
}

}  // namespace btrace
