#pragma once
// The threads of this process as the kernel lists them.
#include "base/types.h"

namespace btrace {

// Reads the list of threads, about a microsecond each.
class TaskList {
 public:
  TaskList();
  ~TaskList();
  TaskList(const TaskList&) = delete;
  TaskList& operator=(const TaskList&) = delete;
  // The next tid; 0 at the end, or where the kernel says no more.
  u32 next();
  // Whether all threads were listed, at the end.
  bool is_whole() const { return bytes_ == 0; }

 private:
  [[maybe_unused]] int fd_;  // of a folder, where the system lists threads as one
  long at_ = 0;
  long bytes_ = 0;  // of `entries_`; 0 at the end, negative when reading failed
  alignas(8) u8 entries_[4096];
};

// How many threads this process has, without a list of them: some 3 µs. 0: that cannot be told.
u32 task_count();

// Whether a thread of this process blocks a signal; also true when that cannot be told. A blocked signal stays pending,
// and reaches a thread that waits for signals as if it were one of its own.
bool task_blocks_signal(u32 tid, int number);

}  // namespace btrace
