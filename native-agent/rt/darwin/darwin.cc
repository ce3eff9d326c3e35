#include "rt/darwin/darwin.h"

#include "base/clock.h"
#include "base/libc.h"
#include "base/pages.h"
#include "os/darwin/compact_unwind.h"
#include "os/darwin/libsystem.h"
#include "os/darwin/stopped_thread.h"
#include "os/machine.h"
#include "os/tasks.h"
#include "rt/darwin/points.h"

namespace btrace::darwin {

Darwin g_darwin;

namespace {

constexpr i64 kScanEveryNs = 10 * kNsPerMs;

// Code of no image has no table, and where calls leave their return address in a register, that tells nearly as well.
#if defined(__aarch64__)
constexpr bool kLinkIsRegister = true;
#else
constexpr bool kLinkIsRegister = false;
#endif

}  // namespace

void Darwin::install(Session& session) {
  session_ = &session;
  next_scan_ns_ = 0;
  if (!seen_) seen_ = map_array<u32>(ThreadRegistry::kMaxSlabs * ThreadRegistry::kSlabRecords);
  Native::install(session);
  run_loop_.install(session);
}

void Darwin::remove(Session& session) {
  run_loop_.remove(session);
  Native::remove(session);
}

u64 Darwin::adapt(Session& session, u64 cpu_ns) {
  run_loop_.install(session);
  return Native::adapt(session, cpu_ns);
}

native::Points Darwin::system_points(u32 family) {
  return family ? native::Points{} : native::darwin_waiting_points();
}

// ---------------------------------------------------------------- threads

void Darwin::find_new_threads(Session&, i64 now_ns) {
  if (now_ns < next_scan_ns_ || !seen_) return;
  const i64 begin_cpu_ns = own_cpu_ns();
  scans_++;
  TaskList tasks;
  while (const u32 tid = tasks.next()) {
    ThreadRecord* record = g_threads.obtain(tid);
    if (!record) continue;
    seen_[record->slot] = scans_;
    if (!record->runtime_ref.load_relaxed()) meet(*record);
    if (record->is_main && run_loop_.waits_for_program()) look_for_program(*record);
    // Each thread gives itself its name, some time after it began.
    if (record->native.name.is_empty()) {
      KernelName::Text name{};
      thread_comm(tid, name, sizeof name);
      record->native.name.write(name);
    }
  }
  if (tasks.is_whole())
    for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
      ThreadRecord& record = g_threads.at(slot);
      const bool has_gone = record.runtime_ref.load_relaxed() == this && seen_[slot] != scans_ &&
                            record.state.load_acquire() == ThreadRecord::State::Live;
      if (has_gone) g_threads.end_unbound(record);
    }
  next_scan_ns_ = max_of(now_ns + kScanEveryNs, for_scans_.charge(now_ns, own_cpu_ns() - begin_cpu_ns));
}

// Its own code on the main thread's stack.
void Darwin::look_for_program(ThreadRecord& main) {
  constexpr u32 kMost = 256;
  uintptr_t places[kMost];
  // Where the bounds are not known the kernel reads, and refuses bad addresses.
  const StoppedWalk walk = walk_stopped(main.tid.load_relaxed(), {0, 0}, places, kMost);
  if (walk.result != StoppedWalk::Result::Walked) return;
  for (u32 at = 0; at < walk.count; at++)
    if (const u32 image = session_->images.find(places[at]); image != Images::kNone)
      run_loop_.saw_code_of(session_->images.at(image));
}

void Darwin::meet(ThreadRecord& record) {
  const u32 tid = record.tid.load_relaxed();
  if (const Pthread thread = pthread_from_mach_thread_np(tid)) {
    const auto end = reinterpret_cast<u64>(pthread_get_stackaddr_np(thread));
    record.stack_end.store_relaxed(end);
    record.stack_begin.store_relaxed(end - pthread_get_stacksize_np(thread));
  }
  record.kind = ThreadKind::Native;
  record.runtime_ref.store_release(this);
}

void Darwin::describe_thread(ThreadRecord& record, ThreadDescription& thread) {
  Native::describe_thread(record, thread);
  if (record.is_main && !thread.name[0]) memcpy(thread.name, "main", sizeof "main");
}

// ---------------------------------------------------------------- walks

i32 Darwin::walk_other_thread(ThreadRecord& record, Frame* frames, u32 limit, WalkNotes& notes) {
  constexpr u32 kMost = 512;
  uintptr_t places[kMost];
  const StackBounds stack{static_cast<uintptr_t>(record.stack_begin.load_relaxed()),
                          static_cast<uintptr_t>(record.stack_end.load_relaxed())};
  const StoppedWalk walk = walk_stopped(record.tid.load_relaxed(), stack, places, min_of(kMost, limit - 2));
  notes.flags = 0;
  if (walk.result == StoppedWalk::Result::Gone) return kWalkLater;
  if (walk.result == StoppedWalk::Result::Failed) return -1;
  Images& images = session_->images;
  u32 count = 0;
  auto add = [&](uintptr_t place) {
    const u32 image = images.find(place);
    if (image != Images::kNone) frames[count++] = {place - images.at(image).base, kFirstImage + image};
  };
  add(places[0]);
  const u32 leaf = images.number_of(places[0]);
  const bool is_hidden = walk.count < 2 || walk.leaf_caller != places[1];
  if (walk.leaf_caller && is_hidden && (leaf == Images::kNone ? kLinkIsRegister : !makes_frame(images.at(leaf), places[0])))
    add(walk.leaf_caller);
  for (u32 at = 1; at < walk.count; at++) add(places[at]);
  if (!count) frames[count++] = {native::kStubNoFrames, -1};
  if (!walk.is_whole) notes.flags |= kFlagCut;
  frames[count++] = {native::kStubThread, -1};
  return static_cast<i32>(count);
}

}  // namespace btrace::darwin
