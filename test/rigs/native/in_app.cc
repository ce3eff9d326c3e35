// A program that records itself. Its arguments: a recording's file, a ring's, and a dump's. Prints what was returned.
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "in-app/btrace.h"

namespace {

volatile uint64_t g_sum;

int64_t cpu_ns() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1'000'000'000ll + t.tv_nsec;
}

void spend(int64_t ns) {
  for (const int64_t until = cpu_ns() + ns; cpu_ns() < until;)
    for (int i = 0; i < 1000; i++) g_sum = g_sum + static_cast<uint64_t>(i);
}

// What a child of fork is told while its parent is recorded: 1 if all of it is as it should be.
bool in_child(const char* parents_file) {
  const pid_t child = fork();
  if (!child) {
    btrace_marker("in the child");
    const bool right = !btrace_is_recording() && btrace_start(parents_file) == 202 && btrace_dump(parents_file) == 303;
    btrace_stop();
    exit(right ? 0 : 1);
  }
  int status;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Lets no file grow until the recording has ended by itself. False if it does not.
bool ends_by_itself() {
  rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{1, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  for (int tries = 0; tries < 60'000 && btrace_is_recording(); tries++) usleep(500);
  setrlimit(RLIMIT_FSIZE, &limit);
  return !btrace_is_recording();
}

// The same while a child of fork has the same open files. Returns how that recording ended.
int fill_up(const char* file) {
  btrace_start(file);
  const pid_t child = fork();
  if (!child) {
    pause();
    _exit(0);
  }
  const bool ended = ends_by_itself();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const int result = btrace_stop();
  return ended ? result : -1;
}

// So many recordings begin, each as soon as the one before is over.
int one_after_the_other(const char* file) {
  int begun = 0;
  for (int times = 0; times < 5; times++)
    if (!btrace_start(file) && ends_by_itself()) begun++;
  return begun;
}

// Starts where the file and the agent's socket take the last numbers of open files, so that nobody can connect to it.
int start_with_few_files(const char* file) {
  btrace_stop();  // the one before has no open files any more
  const int first = dup(0), second = dup(0);
  close(first);
  close(second);
  rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit few{static_cast<rlim_t>(second) + 1, limit.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  const int started = btrace_start(file);
  setrlimit(RLIMIT_NOFILE, &limit);
  return started;
}

}  // namespace

#define PART extern "C" [[gnu::noinline]] void

PART before_marker() {
  spend(200'000'000);
  asm volatile("");
}
PART after_marker() {
  spend(400'000'000);
  asm volatile("");
}
PART in_ring() {
  spend(200'000'000);
  asm volatile("");
}
PART count_orders() {
  btrace_counter("orders", 7);
  asm volatile("");
}
extern "C" void* other_thread(void*) {
  pthread_setname_np(pthread_self(), "other");
  after_marker();
  return nullptr;
}

int main(int, char** files) {
  pthread_setname_np(pthread_self(), "first");
  const int nothing = btrace_dump(files[3]);
  const int no_folder = btrace_start("/no/such/folder/x.btrace");
  const int started = btrace_start(files[1]);
  const int twice = btrace_start(files[1]);
  const bool records = btrace_is_recording();
  const bool child = in_child(files[1]);
  count_orders();
  before_marker();
  btrace_marker("half way");
  pthread_t other;
  pthread_create(&other, nullptr, other_thread, nullptr);
  pthread_join(other, nullptr);
  const int stopped = btrace_stop();
  const bool still = btrace_is_recording();
  const int full = fill_up(files[3]);
  const int again = one_after_the_other(files[3]);
  const int few_files = start_with_few_files(files[3]);
  const int ring = btrace_start_ring(files[2], 5);
  in_ring();
  const int onto_itself = btrace_dump(files[2]);
  const int dumped = btrace_dump(files[3]);
  printf("{\"nothing\":%d,\"words\":\"%s\",\"noFolder\":%d,\"started\":%d,\"twice\":%d,\"records\":%d,\"child\":%d,"
         "\"stopped\":%d,\"still\":%d,\"full\":%d,\"again\":%d,\"fewFiles\":%d,\"ring\":%d,\"ontoItself\":%d,\"dumped\":%d}\n",
         nothing, btrace_problem(nothing), no_folder, started, twice, records, child, stopped, still, full, again,
         few_files, ring, onto_itself, dumped);
  return 0;  // while the ring is still recorded
}
