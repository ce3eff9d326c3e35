#pragma once
// What the linker writes of each function for unwinders (__TEXT,__unwind_info): here, whether it makes a frame.
#include "base/types.h"
#include "os/images.h"

namespace btrace {

// Of the function that an address lies in. Without a frame its caller is where the call left it: in the link register,
// or on top of the stack.
bool makes_frame(const Image& image, uintptr_t address);

}  // namespace btrace
