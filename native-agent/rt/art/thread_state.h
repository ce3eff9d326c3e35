#pragma once
// What this runtime keeps for a thread beside the core's record of it; found by the record's slot.
#include "core/thread_record.h"

namespace btrace::art {

struct Errand;

struct ThreadState {
  // Since the listener was first put in; written by the thread itself.
  u64 allocations;
  u64 allocated_bytes;
  u32 message;     // counts the messages that this thread's loop handled; 0 before the first
  Errand* errand;  // runnable.h; null: none
  // The kernel's name as it was when the thread began: it may be gone when the drain asks.
  char name[16];
};

// nullptr when the kernel gives no memory (2.6 MB of addresses, touched as threads come).
ThreadState* thread_state(const ThreadRecord& record);

}  // namespace btrace::art
