#include "core/cpu_timers.h"

#include "base/clock.h"
#include "core/kernel_counters.h"

namespace btrace {

namespace {

// What the handler needs; it is the same code for all threads and knows no object.
Atomic<Runtime*> g_runtime;
Atomic<ThreadRecord*> g_due;  // a list by ThreadRecord::next_due, newest first
Atomic<u32> g_due_count;      // a futex: counts up with each that is put in

void mark_due(ThreadRecord& record) {
  if (record.is_due.exchange(1)) return;
  ThreadRecord* first = g_due.load();
  do record.next_due = first;
  while (!g_due.swap_if(first, &record));
  g_due_count.add(1);
  sys::futex_wake(&g_due_count, 1);
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

// `overruns`: intervals that ended while the thread could not be interrupted, as within a system call.
void interrupt(ThreadRecord& record, u32 overruns, void* context) {
  Capture capture;
  Runtime* runtime = g_runtime.load_acquire();
  if (!runtime) return;
  if (!capture.begin_interrupted(&record)) {
    record.due_intervals.add_relaxed(1 + overruns);
    return;
  }
  // What only the runtime can count goes on from the last capture. Before the walk: its cost belongs to the time after
  // this sample, by both clocks.
  capture.row().carry_on(record.counters);
  read_kernel_counters(capture.row(), record);
  WalkNotes notes;
  i32 frames = runtime->walk_here(record, context, capture.frames(), WalkBuffer::kFrames, notes);
  if (frames <= 0) {
    record.provisional_ns.store_relaxed(0);
    record.due_intervals.add_relaxed(1 + overruns);
    capture.abandon();
    mark_due(record);
    return;
  }
  notes.tell(capture.row());
  capture.row().overruns = overruns + record.due_intervals.exchange(0);
  u32 count = static_cast<u32>(frames);
  if (capture.row().flags & kFlagNativeState)
    count = add_native(capture.session(), record, context, notes.managed, capture.frames(), count);
  if (notes.provisional) record.provisional_ns.store_release(capture.row().time_ns);
  capture.commit(count);
  if (notes.provisional) mark_due(record);
}

void on_signal(int, SignalInfo* info, void* context) {
  ThreadRecord* record = info->code == kSentByTimer ? g_threads.owned(info->value) : nullptr;
  // The record may be another thread's by now.
  if (record && record->tid.load_relaxed() == sys::gettid())
    interrupt(*record, static_cast<u32>(max_of(info->overrun, 0)), context);
}

}  // namespace

const char* CpuTimers::start(Session& session, Runtime& runtime) {
  interval_ns_ = session.config.async_interval_ns;
  int number = free_signal();
  if (!number) return "all signals are in use";
  session.images.refresh();
  g_runtime.store(&runtime);
  if (!set_handler(number, on_signal, before_)) return "the kernel refused a signal handler";
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
  taken_ = nullptr;
  while (ThreadRecord* record = take_due()) record->is_due.store(0);
}

bool CpuTimers::watch(ThreadRecord& record) {
  u32 tid = record.tid.load_relaxed();
  if (record.timer_tid == tid) return true;
  unwatch(record);
  i32 timer = make_cpu_timer(tid, signal_, &record);
  if (timer < 0) return false;
  record.timer = timer;
  record.timer_tid = tid;
  return start_timer(timer, interval_ns_);
}

void CpuTimers::unwatch(ThreadRecord& record) {
  if (!record.timer_tid) return;
  delete_timer(record.timer);
  record.timer_tid = 0;
}

void CpuTimers::wait(i64 ns) {
  u32 count = g_due_count.load();
  if (g_due.load()) return;
  sys::futex_wait(&g_due_count, count, ns);
}

ThreadRecord* CpuTimers::take_due() {
  if (!taken_) taken_ = g_due.exchange(nullptr);
  ThreadRecord* record = taken_;
  if (!record) return nullptr;
  taken_ = record->next_due;
  record->is_due.store(0);
  return record;
}

}  // namespace btrace
