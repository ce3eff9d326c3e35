#include "os/tasks.h"

#include "base/libc.h"
#include "os/darwin/libsystem.h"

namespace btrace {

namespace {

// What TaskList::entries_ holds.
struct List {
  darwin::Port* threads;
  u32 count;
};

}  // namespace

// Each thread's port comes with a right of ours to it, which is given back: a thread that runs has its own.
TaskList::TaskList() : fd_(-1) {
  static_assert(sizeof entries_ >= sizeof(List));
  List list{};
  if (darwin::task_threads(darwin::mach_task_self_, &list.threads, &list.count)) list = {};
  bytes_ = static_cast<long>(list.count);
  memcpy(entries_, &list, sizeof list);
}

TaskList::~TaskList() {
  List list;
  memcpy(&list, entries_, sizeof list);
  for (u32 at = 0; at < list.count; at++) darwin::mach_port_deallocate(darwin::mach_task_self_, list.threads[at]);
  if (list.threads)
    darwin::vm_deallocate(darwin::mach_task_self_, reinterpret_cast<uintptr_t>(list.threads),
                          list.count * sizeof *list.threads);
}

u32 TaskList::next() {
  List list;
  memcpy(&list, entries_, sizeof list);
  if (at_ < static_cast<long>(list.count)) return list.threads[at_++];
  // A task without a thread is one that could not be asked.
  bytes_ = list.count ? 0 : -1;
  return 0;
}

u32 task_count() {
  TaskList tasks;
  u32 count = 0;
  while (tasks.next()) count++;
  return count;
}

bool task_blocks_signal(u32, int) {
  return true;  // it cannot be told
}

}  // namespace btrace
