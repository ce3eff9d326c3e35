#include "os/process.h"

#include "base/libc.h"
#include "base/syscall.h"
#include "os/linux/proc_status.h"
#include "os/machine.h"

namespace btrace {

u32 own_tid() {
  return sys::gettid();
}

u32 own_pid() {
  return sys::getpid();
}

u32 own_uid() {
  return sys::getuid();
}

bool is_main_thread(u32 tid) {
  return tid == sys::getpid();
}

// Through adb the other side is Android's shell.
bool may_record_us(u32 uid) {
  constexpr u32 kShellUid = 2000;
  return uid == sys::getuid() || uid == 0 || uid == kShellUid;
}

void own_program_name(char* name, size_t room) {
  name[0] = 0;
  read_small_file("/proc/self/cmdline", name, room);
  const char* last = name;
  for (const char* at = name; *at; at++)
    if (*at == '/') last = at + 1;
  memmove(name, last, strlen(last) + 1);
}

void sleep_ns(i64 ns) {
  sys::sleep_ns(ns);
}

void wait_while(const Atomic<u32>& word, u32 value, i64 ns) {
  sys::futex_wait(&word, value, ns);
}

void wake_waiting(const Atomic<u32>& word, u32 most) {
  sys::futex_wake(&word, most);
}

bool may_run(const char* path) {
  constexpr long kHere = -100, kRun = 1;
  return path && !sys::failed(sys::call(sys::kFaccessat, kHere, reinterpret_cast<long>(path), kRun));
}

void close_file(int fd) {
  sys::close(fd);
}

void empty_in_forked_children(void* pages, size_t bytes) {
  constexpr long kWipeOnFork = 18;
  sys::call(sys::kMadvise, reinterpret_cast<long>(pages), static_cast<long>(bytes), kWipeOnFork);
}

i64 number_in_status(const char* status, const char* key) {
  size_t length = strlen(key);
  for (const char* line = status; *line;) {
    bool found = strncmp(line, key, length) == 0 && line[length] == ':';
    if (found) {
      const char* at = line + length + 1;
      while (*at == ' ' || *at == '\t') at++;
      if (*at < '0' || *at > '9') return -1;
      i64 number = 0;
      while (*at >= '0' && *at <= '9') number = number * 10 + (*at++ - '0');
      return number;
    }
    while (*line && *line++ != '\n') {
    }
  }
  return -1;
}

ProcessUse process_use() {
  char status[4096];
  if (read_small_file("/proc/self/status", status, sizeof status) < 0) status[0] = 0;
  const i64 resident = number_in_status(status, "VmRSS");
  return {resident < 0 ? -1 : resident * 1024, number_in_status(status, "Threads")};
}

}  // namespace btrace
