#include "os/tasks.h"

#include "base/libc.h"
#include "base/syscall.h"
#include "base/text_builder.h"
#include "os/file.h"
#include "os/machine.h"

namespace btrace {

namespace {

// What getdents64 writes.
struct Entry {
  u64 inode;
  i64 offset;
  u16 length;
  u8 type;
  char name[5];
};

u32 leading_number(const u8* text) {
  u32 number = 0;
  while (*text >= '0' && *text <= '9') number = number * 10 + (*text++ - '0');
  return number;
}

}  // namespace

TaskList::TaskList() : fd_(open_to_read("/proc/self/task")) {}

TaskList::~TaskList() {
  if (fd_ >= 0) sys::close(fd_);
}

u32 TaskList::next() {
  for (;;) {
    if (at_ >= bytes_) {
      at_ = 0;
      bytes_ = sys::call(sys::kGetdents64, fd_, reinterpret_cast<long>(entries_), sizeof entries_);
      if (bytes_ <= 0) return 0;
    }
    u16 length;
    memcpy(&length, entries_ + at_ + __builtin_offsetof(Entry, length), sizeof length);
    const u32 tid = leading_number(entries_ + at_ + __builtin_offsetof(Entry, name));
    at_ += length;
    if (tid) return tid;
  }
}

u32 task_count() {
  const int fd = open_to_read("/proc/self/task");
  if (fd < 0) return 0;
  // The kernel counts a link for each thread's folder, besides the two that each folder has.
  const u64 links = links_to(fd);
  sys::close(fd);
  return links > 2 ? static_cast<u32>(links - 2) : 0;
}

bool task_blocks_signal(u32 tid, int number) {
  char path[64], text[4096];
  TextBuilder(path).add("/proc/self/task/").number(tid).add("/status");
  if (read_small_file(path, text, sizeof text) < 0) return true;
  static constexpr char kKey[] = "\nSigBlk:\t";
  for (const char* line = text; *line; line++) {
    if (strncmp(line, kKey, sizeof kKey - 1) != 0) continue;
    u64 mask = 0;
    for (const char* at = line + sizeof kKey - 1; *at && *at != '\n'; at++)
      mask = mask << 4 | static_cast<u64>(*at <= '9' ? *at - '0' : *at - 'a' + 10);
    return mask >> (number - 1) & 1;
  }
  return true;
}

}  // namespace btrace
