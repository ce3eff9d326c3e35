// The kernel's list of the process's threads, and their number.
#include "os/tasks.h"

#include <thread>

#include "base/atomic.h"
#include "harness.h"

using namespace btrace;

namespace {

u32 listed() {
  TaskList tasks;
  u32 count = 0;
  while (tasks.next()) count++;
  return tasks.is_whole() ? count : 0;
}

}  // namespace

// A thread that was joined is gone a moment later: one of an earlier case may still be there, or leave in between.
TEST("tasks: the number of threads is that of the list, before a thread comes and after") {
  const auto is_so = [] {
    const u32 before = listed();
    const bool same = task_count() == before;
    Atomic<u32> may_go{};
    std::thread other([&] {
      while (!may_go.load()) std::this_thread::yield();
    });
    const u32 counted = task_count();
    const u32 after = listed();
    may_go.store(1);
    other.join();
    return same && counted == before + 1 && after == before + 1;
  };
  bool was_so = false;
  for (int attempt = 0; attempt < 100 && !was_so; attempt++) was_so = is_so();
  CHECK(was_so);
}
