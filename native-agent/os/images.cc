// What is the same for all systems: each has refresh(), which calls add().
#include "os/images.h"

#include "base/libc.h"
#include "base/pages.h"

namespace btrace {

void Images::release() {
  unmap_array(images_, kImages);
  unmap_array(ranges_, kImages);
}

void Images::add(const Image& image) {
  u32 count = count_.load_relaxed();
  // What lies at an address now was put there last.
  for (u32 number = count; number-- > 0;) {
    if (ranges_[number].begin >= image.end || ranges_[number].end <= image.begin) continue;
    if (images_[number].begin == image.begin && strcmp(images_[number].path, image.path) == 0) return;
    break;
  }
  if (count == kImages) return;
  images_[count] = image;
  ranges_[count] = {image.begin, image.end};
  count_.store_release(count + 1);
}

u32 Images::number_of(uintptr_t address) {
  for (u32 number = count_.load_acquire(); number-- > 0;)
    if (ranges_[number].holds(address)) return number;
  missed_.store_relaxed(1);
  return kNone;
}

}  // namespace btrace
