// A test compares what this file calls with the few functions that need no lock of the program's.
#include "os/darwin/stopped_thread.h"

#include "os/darwin/frame_pointers.h"
#include "os/darwin/libsystem.h"

namespace btrace {

namespace {

// Between the two calls the thread executes nothing of the program. One that is in the kernel may go on there.
class Suspension {
 public:
  explicit Suspension(u32 thread) : thread_(thread), is_suspended_(!darwin::thread_suspend(thread)) {}
  ~Suspension() {
    if (is_suspended_) darwin::thread_resume(thread_);
  }
  Suspension(const Suspension&) = delete;
  Suspension& operator=(const Suspension&) = delete;
  bool is_suspended() const { return is_suspended_; }

 private:
  u32 thread_;
  bool is_suspended_;
};

// Its stack is its own as long as it does not end, so what lies between stack pointer and end is there.
bool read_directly(uintptr_t at, uintptr_t sp, const StackBounds& stack, FrameRecord& record) {
  if (sp < stack.begin || at < sp || at > stack.end - sizeof record) return false;
  const auto* words = reinterpret_cast<const uintptr_t*>(at);
  record = {words[0], words[1]};
  return true;
}

// Some microseconds, ten times a direct read and more.
bool read_through_kernel(uintptr_t at, FrameRecord& record) {
  uintptr_t read = 0;
  return !darwin::vm_read_overwrite(darwin::mach_task_self_, at, sizeof record, reinterpret_cast<uintptr_t>(&record),
                                    &read) &&
         read == sizeof record;
}

}  // namespace

StoppedWalk walk_stopped(u32 thread, const StackBounds& stack, uintptr_t* places, u32 limit) {
  using Result = StoppedWalk::Result;
  if (!limit) return {Result::Failed, false, 0, 0};
  Suspension suspension(thread);
  if (!suspension.is_suspended()) return {Result::Gone, false, 0, 0};
  darwin::ThreadBasicInfo info;
  u32 words = sizeof info / sizeof(i32);
  if (darwin::thread_info(thread, darwin::kThreadBasicInfo, reinterpret_cast<i32*>(&info), &words) ||
      info.run_state == darwin::kHalted)
    return {Result::Gone, false, 0, 0};
  darwin::ThreadState state;
  words = sizeof state / sizeof(u32);
  if (darwin::thread_get_state(thread, darwin::kThreadState, reinterpret_cast<u32*>(&state), &words))
    return {Result::Failed, false, 0, 0};
#if defined(__aarch64__)
  const uintptr_t pc = without_signature(state.pc), sp = state.sp, frame = state.fp;
#else
  const uintptr_t pc = state.rip, sp = state.rsp, frame = state.rbp;
#endif
  places[0] = pc;
  const bool has_stopped = info.run_state == darwin::kStopped && stack.end - stack.begin > sizeof(FrameRecord);
#if defined(__aarch64__)
  const uintptr_t leaf_return = without_signature(state.lr);
#else
  FrameRecord top{};  // of which the first word is meant
  const bool has_top = has_stopped ? read_directly(sp, sp, stack, top) : read_through_kernel(sp, top);
  const uintptr_t leaf_return = has_top ? top.caller_frame : 0;
#endif
  const FrameWalk walk = walk_frames(frame, sp, places + 1, limit - 1, [&](uintptr_t at, FrameRecord& record) {
    return has_stopped ? read_directly(at, sp, stack, record) : read_through_kernel(at, record);
  });
  return {Result::Walked, walk.is_whole, 1 + walk.count, leaf_return ? leaf_return - 1 : 0};
}

}  // namespace btrace
