#pragma once
// Steps from frame to frame by frame pointers: each function's frame begins with its caller's frame pointer and the
// address to return to.
#include "base/types.h"

namespace btrace {

// Without a signature of the processor's (arm64e).
inline uintptr_t without_signature(uintptr_t address) {
#if defined(__aarch64__)
  constexpr u32 kAddressBits = 47;
  return address & ((uintptr_t{1} << kAddressBits) - 1);
#else
  return address;
#endif
}

struct FrameRecord {
  uintptr_t caller_frame, return_address;
};

struct FrameWalk {
  u32 count;
  bool is_whole;
};

// From `frame` on. read(at, record) gives false where there is nothing to be read. `above`: the stack pointer; callers'
// frames lie ever higher.
template <class Read>
inline FrameWalk walk_frames(uintptr_t frame, uintptr_t above, uintptr_t* places, u32 limit, Read read) {
  u32 count = 0;
  while (count < limit) {
    if (!frame) return {count, true};
    FrameRecord record;
    if (frame % sizeof frame || frame < above || !read(frame, record)) return {count, false};
    const uintptr_t address = without_signature(record.return_address);
    if (!address) return {count, true};
    places[count++] = address - 1;
    above = frame + 1;
    frame = record.caller_frame;
  }
  return {count, false};
}

}  // namespace btrace
