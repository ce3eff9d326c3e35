#include "os/image_functions.h"

namespace btrace {

// The desktop has the files.
void find_functions(const Image&, const uintptr_t*, u32, FoundFunctions&) {}
void forget_images_functions() {}
u64 images_functions_bytes() {
  return 0;
}

}  // namespace btrace
