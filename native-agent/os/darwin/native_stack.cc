// By frame pointers, which all code of these systems keeps.
#include "os/native_stack.h"

#include "base/libc.h"
#include "os/darwin/frame_pointers.h"
#include "os/darwin/libsystem.h"

namespace btrace {

bool NativeStacks::init() {
  return true;
}
void NativeStacks::release() {}
size_t NativeStacks::touched_bytes() const {
  return 0;
}

// There is no managed code.
u32 NativeStacks::walk(Images&, const Registers&, const NativeStackRange&, NativePlace*) {
  return 0;
}
bool NativeStacks::find_caller_in(Images&, const Registers&, const NativeStackRange&, uintptr_t, uintptr_t, Registers&) {
  return false;
}

// The calling thread's, which it stands on.
NativeWalk NativeStacks::walk_all(Images& images, const Registers& from, NativePlace* places, u32 limit) {
  const darwin::Pthread self = darwin::pthread_self();
  const auto end = reinterpret_cast<uintptr_t>(darwin::pthread_get_stackaddr_np(self));
  uintptr_t addresses[kMost];
  addresses[0] = from.pc;
  const FrameWalk walk =
      walk_frames(from.frame, from.sp, addresses + 1, kMost - 1, [&](uintptr_t at, FrameRecord& record) {
        if (at > end - sizeof record) return false;
        memcpy(&record, reinterpret_cast<const void*>(at), sizeof record);
        return true;
      });
  NativeWalk found{0, walk.is_whole};
  for (u32 at = 0; at < 1 + walk.count && found.count < limit; at++) {
    const u32 image = images.number_of(addresses[at]);
    if (image != Images::kNone) places[found.count++] = {addresses[at], image};
  }
  return found;
}

}  // namespace btrace
