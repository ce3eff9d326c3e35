#include "base/pages.h"

#include "base/syscall.h"

namespace btrace {

namespace {
constexpr long kReadWrite = 1 | 2;
constexpr long kPrivateAnonymous = 2 | 0x20;
constexpr long kMayMove = 1;
}  // namespace

void* map_pages(size_t bytes) {
  long at = sys::call(sys::kMmap, 0, static_cast<long>(bytes), kReadWrite, kPrivateAnonymous, -1, 0);
  return sys::failed(at) ? nullptr : reinterpret_cast<void*>(at);
}

void* remap_pages(void* at, size_t old_bytes, size_t new_bytes) {
  long moved = sys::call(sys::kMremap, reinterpret_cast<long>(at), static_cast<long>(old_bytes),
                         static_cast<long>(new_bytes), kMayMove);
  return sys::failed(moved) ? nullptr : reinterpret_cast<void*>(moved);
}

void unmap_pages(void* at, size_t bytes) {
  if (at) sys::call(sys::kMunmap, reinterpret_cast<long>(at), static_cast<long>(bytes));
}

void empty_pages(void* at, size_t bytes) {
  constexpr long kDontNeed = 4;
  sys::call(sys::kMadvise, reinterpret_cast<long>(at), static_cast<long>(bytes), kDontNeed);
}

}  // namespace btrace
