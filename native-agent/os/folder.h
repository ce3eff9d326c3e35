#pragma once
// The names in a folder of the program's own.
#include "base/types.h"

namespace btrace {

class FolderList {
 public:
  explicit FolderList(const char* path);
  ~FolderList();
  FolderList(const FolderList&) = delete;
  FolderList& operator=(const FolderList&) = delete;
  bool is_open() const { return fd_ >= 0; }
  // The next name, without an order; nullptr at the end. It holds until the next call.
  const char* next();

 private:
  int fd_;
  long at_ = 0;
  long bytes_ = 0;
  alignas(8) u8 entries_[4096];
};

}  // namespace btrace
