#pragma once
// A stack of native code alone, as the frames of a sample: addresses in images.
#include "core/session.h"

namespace btrace {

// The calling thread's stack from `at` on, leaf first, as far as it can be followed; at most NativeStacks::kMost
// frames. `is_whole`: up to the function that the thread began with.
u32 walk_native(Session& session, const Registers& at, Frame* frames, bool& is_whole);

}  // namespace btrace
