#include "os/machine.h"

#include "base/libc.h"
#include "base/syscall.h"
#include "base/text_builder.h"
#include "os/file.h"

namespace btrace {

u32 processor_count() {
  u64 mask[16] = {};
  long bytes = sys::call(sys::kSchedGetaffinity, 0, sizeof mask, reinterpret_cast<long>(mask));
  if (sys::failed(bytes)) return 1;
  u32 count = 0;
  for (u64 word : mask)
    for (; word; word &= word - 1) count++;
  return max_of<u32>(count, 1);
}

u32 page_bytes() {
  constexpr uintptr_t kPageSize = 6;
  // What the kernel told the program when it started: pairs of words, the last with a type of 0.
  uintptr_t words[128] = {};
  read_small_file("/proc/self/auxv", reinterpret_cast<char*>(words), sizeof words);
  for (size_t at = 0; at + 1 < sizeof words / sizeof words[0] && words[at]; at += 2)
    if (words[at] == kPageSize) return static_cast<u32>(words[at + 1]);
  return 0;
}

i64 read_small_file(const char* path, char* text, size_t size) {
  const int fd = open_to_read(path);
  if (sys::failed(fd)) return -1;
  size_t used = 0;
  while (used + 1 < size) {
    long got = sys::call(sys::kRead, fd, reinterpret_cast<long>(text + used), static_cast<long>(size - 1 - used));
    if (got == -sys::kEintr) continue;
    if (got <= 0) break;
    used += static_cast<size_t>(got);
  }
  sys::close(fd);
  text[used] = 0;
  return static_cast<i64>(used);
}

void set_thread_comm(const char* name) {
  constexpr long kSetName = 15;
  sys::call(sys::kPrctl, kSetName, reinterpret_cast<long>(name));
}

void own_comm(char (&name)[16]) {
  constexpr long kGetName = 16;
  sys::call(sys::kPrctl, kGetName, reinterpret_cast<long>(name));
}

void thread_comm(u32 tid, char* name, size_t size) {
  char path[64];
  TextBuilder(path).add("/proc/self/task/").number(tid).add("/comm");
  name[0] = 0;
  i64 got = read_small_file(path, name, size);
  if (got > 0 && name[got - 1] == '\n') name[got - 1] = 0;
}

bool thread_runs(u32 tid) {
  char path[64], text[128];
  TextBuilder(path).add("/proc/self/task/").number(tid).add("/stat");
  if (read_small_file(path, text, sizeof text) < 0) return false;
  // "TID (NAME) STATE …", and a name may hold anything.
  const char* state = nullptr;
  for (const char* at = text; *at; at++)
    if (at[0] == ')' && at[1] == ' ') state = at + 2;
  return state && *state == 'R';
}

bool read_memory(const void* from, void* to, size_t bytes) {
  struct Part {
    const void* at;
    size_t bytes;
  } remote{from, bytes}, local{to, bytes};
  long got = sys::call(sys::kProcessVmReadv, sys::getpid(), reinterpret_cast<long>(&local), 1,
                       reinterpret_cast<long>(&remote), 1, 0);
  return got == static_cast<long>(bytes);
}

}  // namespace btrace
