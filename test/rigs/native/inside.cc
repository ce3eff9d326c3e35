// A program that measures what it does, by its own clocks, and prints it as JSON: what a recording of it must say.
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#define FUNCTION extern "C" __attribute__((noinline, noclone))

static int64_t clock_ns(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}
static int64_t now_ns() {
  return clock_ns(CLOCK_MONOTONIC);
}
static int64_t cpu_ns() {
  return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}
static void name_thread(const char* name) {
  pthread_setname_np(pthread_self(), name);
}

#include "known_times.h"

// More than there can be: it must not count as allocated.
static void* allocate_too_much() {
  volatile size_t bytes = SIZE_MAX / 2;
  return malloc(bytes);
}

// ---------------------------------------------------------------- waits of C++ and of Rust

static std::mutex limit_lock;
static std::condition_variable limit_over;
static int word;
static bool wants_limit, is_over, wants_word;
static long long waited_limit, waited_word;

FUNCTION void want_before_limit() {
  std::unique_lock held(limit_lock);
  say(wants_limit);
  const int64_t begin = now_ns();
  limit_over.wait_for(held, std::chrono::seconds(100), [] { return is_over; });
  waited_limit = now_ns() - begin;
}
FUNCTION void end_limit() {
  const std::lock_guard held(limit_lock);
  is_over = true;
  limit_over.notify_one();
}
FUNCTION void want_word() {
  say(wants_word);
  const int64_t begin = now_ns();
  while (!__atomic_load_n(&word, __ATOMIC_ACQUIRE)) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  waited_word = now_ns() - begin;
}
FUNCTION void change_word() {
  __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  sink = sink + 1;
}
static void* limited(void*) {
  name_thread("limited");
  want_before_limit();
  pause_ms(300);
  return nullptr;
}
static void* word_waiter(void*) {
  name_thread("word waiter");
  want_word();
  pause_ms(300);
  return nullptr;
}

static void* holder(void*) {
  name_thread("holder");
  hold_lock();
  pause_ms(300);  // a thread that is over sooner may be told by the name that it had at first
  return nullptr;
}
static void* waiter(void*) {
  name_thread("waiter");
  want_lock();
  want_hand_over();
  return nullptr;
}
static void* worker(void*) {
  name_thread("worker");
  burn_deep(40, 300 * kMs);
  allocate_small();
  if (allocate_too_much()) abort();
  allocate_large();
  end_allocations();
  return nullptr;
}

// ---------------------------------------------------------------- what a recording must not change

// A thread that ends with this lock leaves it to the next one, who is told so and has it.
static pthread_mutex_t robust;
static int take_from_dead() {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &kind);
  pthread_t owner;
  pthread_create(
      &owner, nullptr,
      [](void*) -> void* {
        pthread_mutex_lock(&robust);
        return nullptr;
      },
      nullptr);
  pthread_join(owner, nullptr);
  return pthread_mutex_lock(&robust);
}
static int64_t forked_child_ns() {
  int64_t begin = now_ns();
  pid_t child = fork();
  if (child == 0) exit(0);
  if (waitpid(child, nullptr, 0) != child) abort();
  return now_ns() - begin;
}
// A child that has its parent's memory, and its thread's words, for as long as it runs.
FUNCTION void rest_in_child() {
  pause_ms(30);
  sink = sink + 1;
}
static void wait_for_vforked_child() {
  const pid_t child = vfork();
  if (child == 0) {
    rest_in_child();
    _exit(0);
  }
  if (waitpid(child, nullptr, 0) != child) abort();
}
// Cancelled in a call that waits.
static bool is_cancelled() {
  pthread_t sleeper;
  pthread_create(
      &sleeper, nullptr,
      [](void*) -> void* {
        sleep(1000);
        return nullptr;
      },
      nullptr);
  pthread_cancel(sleeper);
  void* result;
  pthread_join(sleeper, &result);
  return result == PTHREAD_CANCELED;
}

static char named_pipe[64];
static long long waited_open;
static bool wants_pipe, wants_named_pipe;

FUNCTION void open_pipe() {
  say(wants_named_pipe);
  const int64_t begin = now_ns();
  const int fd = open(named_pipe, O_RDONLY);
  waited_open = now_ns() - begin;
  if (fd < 0 || close(fd)) abort();
}

static void* writer(void*) {
  name_thread("writer");
  wait_for(wants_pipe);
  pause_ms(45);
  if (write(pipe_ends[1], "x", 1) != 1) abort();
  wait_for(wants_named_pipe);
  pause_ms(35);
  close(open(named_pipe, O_WRONLY | O_CREAT, 0600));
  return nullptr;
}
static void wait_for_writer() {
  pthread_t thread;
  snprintf(named_pipe, sizeof named_pipe, "/tmp/native-inside-%d", getpid());
  if (mkfifo(named_pipe, 0600)) abort();
  pthread_create(&thread, nullptr, writer, nullptr);
  say(wants_pipe);
  read_pipe();
  open_pipe();
  pthread_join(thread, nullptr);
  unlink(named_pipe);
}

int main() {
  if (pipe(pipe_ends) != 0) return 1;
  pthread_t threads[5];
  pthread_create(&threads[0], nullptr, holder, nullptr);
  pthread_create(&threads[1], nullptr, waiter, nullptr);
  pthread_create(&threads[2], nullptr, worker, nullptr);
  pthread_create(&threads[3], nullptr, limited, nullptr);
  pthread_create(&threads[4], nullptr, word_waiter, nullptr);
  wait_for(wants_limit);
  wait_for(wants_word);
  pause_ms(25);
  end_limit();
  change_word();
  burn(100);
  wait_for(wants_hand_over);
  pause_ms(5);
  hand_over();
  wait_for_vforked_child();
  poll_pipe();
  rest();
  wait_for_writer();
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  // Before anything is printed: the child prints what is still in its copy of the buffer.
  const int robust_error = take_from_dead();
  const long long forked_ns = forked_child_ns();
  print_cpu_and_allocations();
  printf(
      " \"waits\": {\"want_lock\": %lld, \"want_hand_over\": %lld, \"read_pipe\": %lld, \"poll_pipe\": %lld, "
      "\"rest\": %lld, \"want_before_limit\": %lld, \"want_word\": %lld, \"open_pipe\": %lld},\n",
      waited_lock, waited_condition, waited_pipe, waited_poll, slept, waited_limit, waited_word, waited_open);
  printf(" \"behaviour\": {\"robust\": %d, \"forkedNs\": %lld, \"cancelled\": %d},\n", robust_error, forked_ns,
         is_cancelled());
  // What the program and its children see of the environment.
  printf(" \"environment\": {\"preload\": %d, \"options\": %d}}\n", getenv("LD_PRELOAD") != nullptr,
         getenv("BTRACE_NATIVE") != nullptr);
  return 7;
}
