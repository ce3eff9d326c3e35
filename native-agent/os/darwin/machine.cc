#include "os/machine.h"

#include "base/clock.h"
#include "base/libc.h"
#include "os/darwin/libsystem.h"
#include "os/file.h"
#include "os/process.h"

namespace btrace {

namespace {

bool read_basic_info(u32 tid, darwin::ThreadBasicInfo& info) {
  u32 words = sizeof info / sizeof(i32);
  return !darwin::thread_info(tid, darwin::kThreadBasicInfo, reinterpret_cast<i32*>(&info), &words);
}

i64 ns_of(const darwin::TimeValue& time) {
  return i64{time.seconds} * kNsPerSecond + i64{time.microseconds} * kNsPerUs;
}

}  // namespace

i64 thread_cpu_ns(u32 tid) {
  darwin::ThreadBasicInfo info{};
  return read_basic_info(tid, info) ? ns_of(info.user) + ns_of(info.system) : -1;
}

u32 processor_count() {
  constexpr int kProcessorsOnline = 58;
  return static_cast<u32>(max_of<long>(darwin::sysconf(kProcessorsOnline), 1));
}

u32 page_bytes() {
  return static_cast<u32>(darwin::getpagesize());
}

i64 read_small_file(const char* path, char* text, size_t size) {
  const int fd = open_to_read(path);
  if (fd < 0) return -1;
  size_t used = 0;
  while (used + 1 < size) {
    const long got = darwin::read(fd, text + used, size - 1 - used);
    if (got < 0 && *darwin::__error() == darwin::kInterrupted) continue;
    if (got <= 0) break;
    used += static_cast<size_t>(got);
  }
  darwin::close(fd);
  text[used] = 0;
  return static_cast<i64>(used);
}

void set_thread_comm(const char* name) {
  darwin::pthread_setname_np(name);
}

void own_comm(char (&name)[16]) {
  darwin::pthread_getname_np(darwin::pthread_self(), name, sizeof name);
}

void thread_comm(u32 tid, char* name, size_t size) {
  name[0] = 0;
  if (darwin::Pthread thread = darwin::pthread_from_mach_thread_np(tid)) darwin::pthread_getname_np(thread, name, size);
}

bool thread_runs(u32 tid) {
  darwin::ThreadBasicInfo info{};
  return read_basic_info(tid, info) && info.run_state == darwin::kRunning && !(info.flags & darwin::kIdleThread);
}

bool read_memory(const void* from, void* to, size_t bytes) {
  uintptr_t read = 0;
  return !darwin::vm_read_overwrite(darwin::mach_task_self_, reinterpret_cast<uintptr_t>(from), bytes,
                                    reinterpret_cast<uintptr_t>(to), &read) &&
         read == bytes;
}

}  // namespace btrace
