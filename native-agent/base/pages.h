#pragma once
// Memory straight from the kernel: zeroed, and given page by page as it is first touched.
#include "base/types.h"

namespace btrace {

// nullptr when the kernel has none.
void* map_pages(size_t bytes);
void* remap_pages(void* at, size_t old_bytes, size_t new_bytes);
void unmap_pages(void* at, size_t bytes);
// Gives whole pages back to the kernel. They stay mapped, and are zero when they are touched again.
void empty_pages(void* at, size_t bytes);

template <class T>
T* map_array(size_t count) {
  return static_cast<T*>(map_pages(count * sizeof(T)));
}
template <class T>
void unmap_array(T*& array, size_t count) {
  if (array) unmap_pages(array, count * sizeof(T));
  array = nullptr;
}

}  // namespace btrace
