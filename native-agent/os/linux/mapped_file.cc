#include "os/linux/mapped_file.h"

#include "base/libc.h"
#include "base/syscall.h"
#include "os/file.h"

namespace btrace {

namespace {

// "begin-end access offset device inode    path", a character at a time.
class Line {
 public:
  Line(uintptr_t address, char* path, size_t size) : address_(address), path_(path), size_(size) {}

  // True when the line of the address has ended.
  bool take(char c) {
    if (c == '\n') {
      const bool is_it = field_ >= kInode && address_ >= begin_ && address_ < end_;
      if (!is_it) start();
      return is_it;
    }
    if (is_text_) {
      if (length_ + 1 < size_) path_[length_] = c;
      length_++;
    } else if (c == ' ') {
      is_space_ = true;
    } else {
      if (is_space_) field_++, is_space_ = false;
      if (field_ > kInode) {
        is_text_ = true;
        return take(c);
      }
      if (field_ == kRange) take_of_range(c);
    }
    return false;
  }

  bool end() {
    if (!length_ || length_ >= size_ || path_[0] != '/') return path_[0] = 0, false;
    path_[length_] = 0;
    static constexpr char kGone[] = " (deleted)";
    const size_t tail = sizeof kGone - 1;
    if (length_ > tail && !memcmp(path_ + length_ - tail, kGone, tail)) path_[length_ - tail] = 0;
    return true;
  }

 private:
  enum Field : u32 { kRange, kAccess, kOffset, kDevice, kInode };

  void start() {
    begin_ = end_ = 0;
    field_ = kRange;
    length_ = 0;
    is_space_ = is_text_ = is_second_ = false;
  }

  void take_of_range(char c) {
    if (c == '-') {
      is_second_ = true;
      return;
    }
    uintptr_t& number = is_second_ ? end_ : begin_;
    number = number << 4 | static_cast<uintptr_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }

  const uintptr_t address_;
  char* const path_;
  const size_t size_;
  uintptr_t begin_ = 0, end_ = 0;
  u32 field_ = kRange;
  size_t length_ = 0;
  bool is_space_ = false, is_text_ = false, is_second_ = false;
};

}  // namespace

bool mapped_file(uintptr_t address, char* path, size_t size) {
  path[0] = 0;
  const int fd = open_to_read("/proc/self/maps");
  if (fd < 0) return false;
  Line line(address, path, size);
  char text[4096];
  bool is_found = false;
  while (!is_found) {
    const long got = sys::call(sys::kRead, fd, reinterpret_cast<long>(text), sizeof text);
    if (got == -sys::kEintr) continue;
    if (got <= 0) break;
    for (long i = 0; i < got && !is_found; i++) is_found = line.take(text[i]);
  }
  sys::close(fd);
  if (is_found) return line.end();
  path[0] = 0;
  return false;
}

}  // namespace btrace
