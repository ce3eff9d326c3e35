#pragma once
// A lock for the agent's own slow paths (registering threads, starting and stopping). Never taken while capturing.
#include "base/atomic.h"
#include "base/syscall.h"

namespace btrace {

class Spin {
 public:
  void lock() {
    while (taken_.exchange(1)) sys::sleep_ns(20 * kNsPerUs);
  }
  void unlock() { taken_.store(0); }

 private:
  Atomic<u32> taken_;
};

class SpinScope {
 public:
  explicit SpinScope(Spin& spin) : spin_(spin) { spin_.lock(); }
  ~SpinScope() { spin_.unlock(); }
  SpinScope(const SpinScope&) = delete;
  SpinScope& operator=(const SpinScope&) = delete;

 private:
  Spin& spin_;
};

}  // namespace btrace
