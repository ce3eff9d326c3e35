#pragma once
// This process and the calling thread, as the system numbers them, and how a thread waits.
#include "base/atomic.h"

namespace btrace {

u32 own_tid();
u32 own_pid();
u32 own_uid();
// Whether this is the thread that the program began with.
bool is_main_thread(u32 tid);

// The program's file name, without its folder.
void own_program_name(char* name, size_t room);

// Whether a process of this user may record us: our own user, the administrator, and who speaks for a device's cable.
bool may_record_us(u32 uid);

void sleep_ns(i64 ns);
// While `word` is `value`, until it is woken, for `ns` at most.
void wait_while(const Atomic<u32>& word, u32 value, i64 ns);
void wake_waiting(const Atomic<u32>& word, u32 most);

// Whether a file is there that this user may run.
bool may_run(const char* path);

// Of whatever `fd` is.
void close_file(int fd);

// From then on a forked child finds zeros in these pages.
void empty_in_forked_children(void* pages, size_t bytes);

struct ProcessUse {
  i64 resident_bytes;  // -1: the system does not tell
  i64 threads;
};
ProcessUse process_use();

}  // namespace btrace
