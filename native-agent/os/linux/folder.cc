#include "os/folder.h"

#include "base/libc.h"
#include "base/syscall.h"
#include "os/file.h"

namespace btrace {

namespace {

// What getdents64 writes, up to the name.
struct Entry {
  u64 inode;
  i64 offset;
  u16 length;
  u8 type;
  char name[5];
};

}  // namespace

FolderList::FolderList(const char* path) : fd_(open_to_read(path)) {}

FolderList::~FolderList() {
  if (fd_ >= 0) sys::close(fd_);
}

const char* FolderList::next() {
  if (at_ >= bytes_) {
    at_ = 0;
    bytes_ = sys::call(sys::kGetdents64, fd_, reinterpret_cast<long>(entries_), sizeof entries_);
    if (bytes_ <= 0) return nullptr;
  }
  const u8* entry = entries_ + at_;
  u16 length;
  memcpy(&length, entry + __builtin_offsetof(Entry, length), sizeof length);
  at_ += length;
  return reinterpret_cast<const char*>(entry + __builtin_offsetof(Entry, name));
}

}  // namespace btrace
