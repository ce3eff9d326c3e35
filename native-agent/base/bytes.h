#pragma once
// A growing buffer for the drain, over pages of its own. When the kernel gives no more memory it keeps what it has,
// and failed() says so: what was being written is then thrown away whole.
#include "base/libc.h"
#include "base/pages.h"
#include "base/types.h"

namespace btrace {

class Bytes {
 public:
  const u8* data() const { return data_; }
  u8* data() { return data_; }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool failed() const { return failed_; }
  void clear() {
    size_ = 0;
    failed_ = false;
  }
  void truncate(size_t size) { size_ = size; }

  void put(u8 byte) {
    if (size_ < capacity_ || grow(1)) data_[size_++] = byte;
  }
  void append(const void* from, size_t bytes) {
    if (capacity_ - size_ < bytes && !grow(bytes)) return;
    if (bytes) memcpy(data_ + size_, from, bytes);
    size_ += bytes;
  }
  // Moves what starts at `at` up by `bytes`, for a length that is known only afterwards.
  void open_gap(size_t at, size_t bytes) {
    if (capacity_ - size_ < bytes && !grow(bytes)) return;
    memmove(data_ + at + bytes, data_ + at, size_ - at);
    size_ += bytes;
  }
  void drop_front(size_t bytes) {
    memmove(data_, data_ + bytes, size_ - bytes);
    size_ -= bytes;
  }
  void release() {
    unmap_pages(data_, capacity_);
    data_ = nullptr;
    size_ = capacity_ = 0;
    failed_ = false;
  }

 private:
  bool grow(size_t bytes) {
    size_t wanted = capacity_ ? capacity_ : 64 * 1024;
    while (wanted - size_ < bytes) wanted *= 2;
    void* grown = capacity_ ? remap_pages(data_, capacity_, wanted) : map_pages(wanted);
    if (!grown) {
      failed_ = true;
      return false;
    }
    data_ = static_cast<u8*>(grown);
    capacity_ = wanted;
    return true;
  }

  u8* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
  bool failed_ = false;
};

}  // namespace btrace
