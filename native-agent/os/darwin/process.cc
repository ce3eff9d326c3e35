#include "os/process.h"

#include "base/libc.h"
#include "os/darwin/libsystem.h"
#include "os/tasks.h"

namespace btrace {

namespace {

Atomic<u32> g_main_thread;

// The program's first thread loads the agent as a rule; else it is the first of the list.
[[gnu::constructor]] void find_main_thread() {
  if (darwin::pthread_main_np()) return g_main_thread.store(own_tid());
  TaskList tasks;
  g_main_thread.store(tasks.next());
}

}  // namespace

u32 own_tid() {
  return darwin::pthread_mach_thread_np(darwin::pthread_self());
}

u32 own_pid() {
  return static_cast<u32>(darwin::getpid());
}

u32 own_uid() {
  return darwin::getuid();
}

bool is_main_thread(u32 tid) {
  return tid == g_main_thread.load_relaxed();
}

bool may_record_us(u32 uid) {
  return uid == own_uid() || uid == 0;
}

void own_program_name(char* name, size_t room) {
  const char* program = darwin::getprogname();
  const size_t length = program ? min_of(strlen(program), room - 1) : 0;
  memcpy(name, program, length);
  name[length] = 0;
}

void sleep_ns(i64 ns) {
  sys::sleep_ns(ns);
}

// The system's own way to wait for a word is not open to apps. Only the agent's threads wait here, for so short times
// that a look now and then costs less than a lock.
void wait_while(const Atomic<u32>& word, u32 value, i64 ns) {
  constexpr i64 kLookEveryNs = 20 * kNsPerMs;
  for (i64 left = ns; left > 0 && word.load() == value; left -= kLookEveryNs) sleep_ns(min_of(left, kLookEveryNs));
}

void wake_waiting(const Atomic<u32>&, u32) {}

void close_file(int fd) {
  darwin::close(fd);
}

// A child of fork has no thread of ours; it can do little else than exec, and knows by its pid that nobody records it.
void empty_in_forked_children(void*, size_t) {}

ProcessUse process_use() {
  darwin::TaskBasicInfo info{};
  u32 words = sizeof info / sizeof(i32);
  const bool is_known = !darwin::task_info(darwin::mach_task_self_, darwin::kTaskBasicInfo, reinterpret_cast<i32*>(&info), &words);
  return {is_known ? static_cast<i64>(info.resident_bytes) : -1, task_count()};
}

}  // namespace btrace
