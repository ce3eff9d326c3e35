#pragma once
// What this runtime keeps for a thread beside the core's record of it; found by the record's slot.
#include "core/thread_record.h"
#include "rt/art/collection_sleep.h"

namespace btrace::art {

struct Errand;

struct ThreadState {
  // Since the listener was first put in; written by the thread itself.
  u64 allocations;
  u64 allocated_bytes;
  u32 loop_message;     // counts the messages that this thread's loop handled; 0 before the first
  Errand* errand;       // runnable.h; null: none
  u32 told_starts;      // how often ART told of its start: agent threads ask
  // Written by the thread itself (monitor_release.cc): the number of the monitor that it waits to enter, 0 if that is
  // not known; and the time of the sample of the release that its Object.wait is about to make, or kNotCaptured.
  Atomic<u64> contended_monitor;
  i64 release_ns;
  CollectionSleep slept;  // its own
  // The kernel's name as it was when the thread began: it may be gone when the drain asks.
  char kernel_name[16];
  // Java's, of the art::Thread that is `named`. Both are the drain's.
  char java_name[128];
  Atomic<u64> named;
  // A weak reference to java.lang.Thread, of the art::Thread that is `referred`. Both are the sampler's.
  void* reference;
  Atomic<u64> referred;
};

// Of the calling thread, now.
CollectionSleep::Moment this_moment();

void make_thread_states();
// nullptr when the kernel gives no memory (13 MB of addresses, touched as threads come).
ThreadState* thread_state(const ThreadRecord& record);

}  // namespace btrace::art
