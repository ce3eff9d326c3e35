#pragma once
// What the programs do whose times are known, on Linux and on Darwin. They measure it by their own clocks. Before this
// come the declarations of the system, FUNCTION, now_ns(), cpu_ns() and name_thread().

constexpr int64_t kMs = 1000000;

static volatile uint64_t sink;
static inline void work() {
  for (int i = 0; i < 20000; i++) sink = sink * 31 + static_cast<uint64_t>(i);
}

// ---------------------------------------------------------------- CPU time

static long long burnt_a, burnt_b, burnt_deep;

FUNCTION void burn_a(int64_t ns) {
  const int64_t begin = cpu_ns();
  while (cpu_ns() - begin < ns) work();
  burnt_a += cpu_ns() - begin;
}
FUNCTION void burn_b(int64_t ns) {
  const int64_t begin = cpu_ns();
  while (cpu_ns() - begin < ns) work();
  burnt_b += cpu_ns() - begin;
}
FUNCTION void burn_deep(int depth, int64_t ns) {
  if (depth > 0) {
    burn_deep(depth - 1, ns);
    sink = sink + 1;  // no tail call
    return;
  }
  const int64_t begin = cpu_ns();
  while (cpu_ns() - begin < ns) work();
  burnt_deep += cpu_ns() - begin;
}
// `burn_a` uses the CPU twice, `burn_b` once that long, three times each.
static void burn(int64_t ms) {
  for (int turn = 0; turn < 3; turn++) {
    burn_a(2 * ms * kMs);
    burn_b(ms * kMs);
  }
}

// ---------------------------------------------------------------- waits

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t hand_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t handed = PTHREAD_COND_INITIALIZER;
static bool is_held, is_handed;
static int pipe_ends[2];
static long long waited_lock, waited_condition, waited_pipe, waited_poll, slept;

static void pause_ms(int ms) {
  const timespec time{0, ms * kMs};
  nanosleep(&time, nullptr);
}
static void say(bool& flag) {
  __atomic_store_n(&flag, true, __ATOMIC_RELEASE);
}
static void wait_for(bool& flag) {
  while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) pause_ms(1);
}

// Set just before the wait: who ends it lets some time pass from then on, however late that is.
static bool wants_lock, wants_hand_over;

FUNCTION void hold_lock() {
  pthread_mutex_lock(&lock);
  say(is_held);
  wait_for(wants_lock);
  pause_ms(60);
  pthread_mutex_unlock(&lock);
  sink = sink + 1;  // no tail call: it would leave no frame of this function
}
FUNCTION void want_lock() {
  wait_for(is_held);
  say(wants_lock);
  const int64_t begin = now_ns();
  pthread_mutex_lock(&lock);
  waited_lock = now_ns() - begin;
  pthread_mutex_unlock(&lock);
  sink = sink + 1;
}
FUNCTION void want_hand_over() {
  pthread_mutex_lock(&hand_lock);
  say(wants_hand_over);
  const int64_t begin = now_ns();
  while (!is_handed) pthread_cond_wait(&handed, &hand_lock);
  waited_condition = now_ns() - begin;
  pthread_mutex_unlock(&hand_lock);
  sink = sink + 1;
}
FUNCTION void hand_over() {
  pthread_mutex_lock(&hand_lock);
  is_handed = true;
  pthread_cond_signal(&handed);
  pthread_mutex_unlock(&hand_lock);
  sink = sink + 1;
}
FUNCTION void read_pipe() {
  char byte;
  const int64_t begin = now_ns();
  if (read(pipe_ends[0], &byte, 1) != 1) abort();
  waited_pipe = now_ns() - begin;
}
FUNCTION void poll_pipe() {
  constexpr short kReadable = 1;
  pollfd wanted{pipe_ends[0], kReadable, 0};
  const int64_t begin = now_ns();
  poll(&wanted, 1, 35);
  waited_poll = now_ns() - begin;
}
FUNCTION void rest() {
  const int64_t begin = now_ns();
  usleep(40000);
  slept = now_ns() - begin;
}

// ---------------------------------------------------------------- allocations

static long long allocated_small, allocated_large;
static void* volatile kept;  // else the compiler leaves them out

FUNCTION void allocate_small() {
  for (int i = 0; i < 200000; i++) {
    kept = malloc(100);
    free(kept);
    allocated_small += 100;
  }
}
FUNCTION void allocate_large() {
  for (int i = 0; i < 60; i++) {
    kept = malloc(1000000);
    memset(kept, i, 1000000);
    free(kept);
    allocated_large += 1000000;
    // So that this takes many sampling intervals: what is allocated in one counts where the next sample is.
    for (int turn = 0; turn < 10; turn++) work();
  }
}
// A sample after the last allocation tells of it.
static void end_allocations() {
  for (const int64_t begin = cpu_ns(); cpu_ns() - begin < 30 * kMs;) work();
}

// The begin of what a program prints.
static void print_cpu_and_allocations() {
  printf("{\"cpu\": {\"burn_a\": %lld, \"burn_b\": %lld, \"burn_deep\": %lld},\n", burnt_a, burnt_b, burnt_deep);
  printf(" \"allocated\": {\"small\": %lld, \"large\": %lld},\n", allocated_small, allocated_large);
}
