#pragma once
// Another thread's stack, while that thread stands still.
#include "base/types.h"

namespace btrace {

// Lowest address and the one above the highest; both 0: not known.
struct StackBounds {
  uintptr_t begin, end;
};

struct StoppedWalk {
  enum class Result : u8 { Walked, Gone, Failed };
  Result result;
  bool is_whole;  // up to the function that the thread began with
  u32 count;
  // The first place's caller, if that place's function makes no frame.
  uintptr_t leaf_caller;
};

// Suspends the thread, puts the addresses of its frames into `places`, leaf first, at most `limit`, and resumes it. The
// address of a caller lies in its call. Frames are found by frame pointers: a function that has not made its own frame
// yet, or makes none, hides its caller.
//
// The thread may hold any lock, malloc's too: nothing is called meanwhile but the kernel.
StoppedWalk walk_stopped(u32 thread, const StackBounds& stack, uintptr_t* places, u32 limit);

}  // namespace btrace
