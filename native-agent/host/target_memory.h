#pragma once
// The memory of one process as it is now: after an exec nothing of it is reached any more, whatever lies at an address.
#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "base/types.h"

namespace btrace::host {

class TargetMemory {
 public:
  // Closed: this user may not.
  explicit TargetMemory(u32 pid)
      : fd_(open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDWR | O_CLOEXEC)) {}
  ~TargetMemory() {
    if (fd_ >= 0) close(fd_);
  }
  TargetMemory(const TargetMemory&) = delete;
  TargetMemory& operator=(const TargetMemory&) = delete;
  bool is_open() const { return fd_ >= 0; }
  bool read(u64 at, void* to, size_t bytes) const {
    return pread(fd_, to, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
  }
  bool write(u64 at, const void* from, size_t bytes) const {
    return pwrite(fd_, from, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
  }

 private:
  int fd_;
};

}  // namespace btrace::host
