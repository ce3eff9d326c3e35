// A native program whose switches are known. A line on its standard input is a command, and has a line as its answer:
//   thread        a thread burns, sleeps five times, and ends: "thread TID CPU-NS SLEPT-NS ON-CORE-NS". On a core it is also while
//                 the core serves interrupts or another machine.
//   fork          a process burns, sleeps and ends: "fork PID"
//   rounds COUNT  two threads wake each other by turns: "rounds TID TID BEGIN-NS END-NS"
// It begins with "ready", and ends with its standard input.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <thread>

namespace {

long now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000l + time.tv_nsec;
}

long tid() { return syscall(SYS_gettid); }

volatile unsigned long sink;

void burn(long cpu_ns) {
  const long until = now(CLOCK_THREAD_CPUTIME_ID) + cpu_ns;
  while (now(CLOCK_THREAD_CPUTIME_ID) < until)
    for (int i = 0; i < 10000; i++) sink = sink * 2862933555777941757ul + 3037000493ul;
}

// By the kernel: how long this thread was ready and had no core.
long ready() {
  static thread_local FILE* const counters = fopen("/proc/thread-self/schedstat", "re");
  long on_core, ready;
  if (!counters || fseek(counters, 0, SEEK_SET) || fflush(counters) || fscanf(counters, "%ld %ld", &on_core, &ready) != 2)
    exit(1);
  return ready;
}

long nap() {
  const long begin = now(CLOCK_MONOTONIC);
  usleep(10000);
  return now(CLOCK_MONOTONIC) - begin;
}

void thread() {
  long slept = 0, on_core = now(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < 5; i++) {
    const long begin = now(CLOCK_MONOTONIC) - ready();
    burn(20000000);
    on_core += now(CLOCK_MONOTONIC) - ready() - begin;
    slept += nap();
  }
  printf("thread %ld %ld %ld %ld\n", tid(), now(CLOCK_THREAD_CPUTIME_ID), slept, on_core);
}

void rounds(long count) {
  int there[2], back[2];
  if (pipe(there) || pipe(back)) exit(1);
  long other = 0;
  char byte = 0;
  const long begin = now(CLOCK_MONOTONIC);
  std::thread echo([&] {
    other = tid();
    for (long i = 0; i < count; i++)
      if (read(there[0], &byte, 1) != 1 || write(back[1], "x", 1) != 1) exit(1);
  });
  for (long i = 0; i < count; i++)
    if (write(there[1], "x", 1) != 1 || read(back[0], &byte, 1) != 1) exit(1);
  echo.join();
  printf("rounds %ld %ld %ld %ld\n", tid(), other, begin, now(CLOCK_MONOTONIC));
  for (const int fd : {there[0], there[1], back[0], back[1]}) close(fd);
}

}  // namespace

int main() {
  puts("ready");
  fflush(stdout);
  char line[64];
  while (fgets(line, sizeof line, stdin)) {
    if (!strncmp(line, "thread", 6)) {
      std::thread(thread).join();
    } else if (!strncmp(line, "fork", 4)) {
      const pid_t child = fork();
      if (!child) {
        burn(5000000);
        nap();
        _exit(0);
      }
      waitpid(child, nullptr, 0);
      printf("fork %d\n", child);
    } else {
      std::thread(rounds, strtol(line + 6, nullptr, 10)).join();
    }
    fflush(stdout);
  }
}
