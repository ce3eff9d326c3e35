#pragma once
// The threads of the program. A Mach port is the Linux thread id; Darwin's pthread_t points to what stands here.
#include <semaphore.h>
#include <ucontext.h>

#include <atomic>
#include <cstdint>

struct Thread {
  std::atomic<int> tid;  // 0: the place is free
  uintptr_t stack_begin, stack_end;
  char name[64];
  // Written by those who suspend it, and by its own signal handler.
  std::atomic<int> suspensions, is_parked;
  ucontext_t* context;

  void* (*run)(void*);
  void* argument;
  unsigned long handle;  // glibc's
  std::atomic<int> is_ready;
  std::atomic<int> owners;  // the thread itself, and who may join it
};

// Without a lock: the thread that holds one may be suspended.
Thread* find_thread(int tid);
Thread* current_thread();
// Calls visit(thread) for each that lives.
template <class Visit>
void each_thread(Visit visit);

constexpr int kMostThreads = 4096;
extern Thread g_thread_places[kMostThreads];
extern std::atomic<int> g_used_places;

template <class Visit>
void each_thread(Visit visit) {
  for (int at = 0, used = g_used_places; at < used; at++)
    if (g_thread_places[at].tid > 0) visit(g_thread_places[at]);
}

// The main thread, before anything runs.
void begin_threads();
// The signal by which threads are suspended is never blocked.
int suspension_signal();
