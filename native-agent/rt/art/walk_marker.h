#pragma once
// How many walks are under way, kept in a small file beside the agent: it outlives the process, so that the next start
// learns that this one ended in the middle of a walk. That may have been a crash, or the system killed it just then. The
// desktop can tell the two apart; here only the second such end in a row is held against walks.
#include "base/types.h"

namespace btrace::art {

class WalkMarker {
 public:
  // False: the last two processes of this name ended inside a walk. Where no file can be made, nothing is told.
  bool begin(const char* process);
  // The recording ended in order: the file goes.
  void end();

  void enter() { __atomic_add_fetch(walking_, 1, __ATOMIC_RELAXED); }
  void leave() { __atomic_sub_fetch(walking_, 1, __ATOMIC_RELEASE); }
  bool walking() const { return __atomic_load_n(walking_, __ATOMIC_ACQUIRE) > 0; }
  // Empty when there is none.
  const char* path() const { return path_; }

 private:
  i32 without_page_ = 0;
  // A page of its own for the process's life: the file is laid over it and taken away again.
  i32* walking_ = &without_page_;
  bool laid_ = false;
  char path_[1024] = {};
};

}  // namespace btrace::art
