// A program that lies at a fixed address and takes addresses of functions that the agent redirects, and that takes
// SIGPROF for itself. It prints how often that came, and what it did.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t profiled;
static void on_sigprof(int) { profiled = profiled + 1; }

// Volatile: they are called through their addresses.
static void* (*volatile allocate)(size_t);
static void (*volatile release)(void*);
static int (*volatile create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
static int (*volatile pause_for)(useconds_t);

static void* work(void* of) {
  pause_for(2000);
  return of;
}

static long long cpu_ns() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main() {
  // Taken by code, and not by the linker: then the program has a stub for each.
  allocate = malloc;
  release = free;
  create = pthread_create;
  pause_for = usleep;
  signal(SIGPROF, on_sigprof);
  long allocated = 0, joined = 0;
  while (cpu_ns() < 200000000) {
    for (int i = 0; i < 1000; i++) {
      free(allocate(1000));
      release(malloc(1000));
      allocated += 2000;
    }
  }
  for (int i = 0; i < 4; i++) {
    pthread_t thread;
    void* result;
    if (create(&thread, nullptr, work, &thread) || pthread_join(thread, &result)) return 1;
    joined += result == &thread;
  }
  printf("{\"profiled\":%d,\"allocated\":%ld,\"joined\":%ld}\n", static_cast<int>(profiled), allocated, joined);
  return 3;
}
