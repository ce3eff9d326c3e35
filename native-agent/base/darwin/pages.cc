#include "base/pages.h"

#include "base/libc.h"

namespace btrace {

namespace libc {
void* mmap(void* at, size_t bytes, int access, int flags, int fd, i64 offset) asm("_mmap");
int munmap(void* at, size_t bytes) asm("_munmap");
}  // namespace libc

namespace {

constexpr int kReadWrite = 1 | 2;
constexpr int kPrivateAnonymous = 2 | 0x1000;
constexpr int kFixed = 0x10;

}  // namespace

void* map_pages(size_t bytes) {
  void* at = libc::mmap(nullptr, bytes, kReadWrite, kPrivateAnonymous, -1, 0);
  return at == reinterpret_cast<void*>(-1) ? nullptr : at;
}

void* remap_pages(void* at, size_t old_bytes, size_t new_bytes) {
  void* moved = map_pages(new_bytes);
  if (!moved) return nullptr;
  memcpy(moved, at, min_of(old_bytes, new_bytes));
  unmap_pages(at, old_bytes);
  return moved;
}

void unmap_pages(void* at, size_t bytes) {
  if (at) libc::munmap(at, bytes);
}

void empty_pages(void* at, size_t bytes) {
  // New ones in their place: what madvise has for it keeps what they hold.
  libc::mmap(at, bytes, kReadWrite, kPrivateAnonymous | kFixed, -1, 0);
}

}  // namespace btrace
