// Sixteen threads that do what makes a walk hard, while another one suspends, walks and resumes them in turn: with the
// agent's own code for that. Prints what came of it as JSON.
#include "libsystem.h"
#include "os/darwin/stopped_thread.h"

static volatile uint64_t sink;
static bool is_over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static inline bool goes_on() {
  return !__atomic_load_n(&is_over, __ATOMIC_RELAXED);
}

// Not inlined into its caller, and calls first: it has a frame wherever it is interrupted but at its begin and end.
FUNCTION void compute() {
  usleep(0);
  for (int i = 0; i < 20000; i++) sink = sink * 31 + static_cast<uint64_t>(i);
  usleep(0);
}
FUNCTION void allocate() {
  for (int i = 0; i < 200; i++) {
    void* at = malloc(static_cast<size_t>(16 + i * 24));
    memset(at, i, 16);
    free(at);
  }
  sink = sink + 1;
}
FUNCTION void take_turns() {
  for (int i = 0; i < 50; i++) {
    pthread_mutex_lock(&lock);
    sink = sink + 1;
    pthread_mutex_unlock(&lock);
  }
  sink = sink + 1;
}
FUNCTION void rest() {
  usleep(200);
  sink = sink + 1;
}
constexpr int kDepth = 100;
FUNCTION void recurse(int depth) {
  if (depth > 0)
    recurse(depth - 1);
  else
    compute();
  sink = sink + 1;
}

struct Worker {
  void (*run)();
  pthread_t thread;
  uint64_t rounds;
};
FUNCTION void* work(void* argument) {
  auto& worker = *static_cast<Worker*>(argument);
  while (goes_on()) {
    worker.run();
    __atomic_fetch_add(&worker.rounds, 1, __ATOMIC_RELAXED);
  }
  return nullptr;
}

constexpr int kWorkers = 16;
static Worker workers[kWorkers];

// cycles COUNT
int main(int argc, char** argv) asm("_main");
int main(int argc, char** argv) {
  void (*const kinds[])() = {compute, allocate, take_turns, rest, [] { recurse(kDepth); }, allocate, allocate, compute};
  for (int i = 0; i < kWorkers; i++) {
    workers[i].run = kinds[i % 8];
    pthread_create(&workers[i].thread, nullptr, work, &workers[i]);
  }
  const int cycles = argc > 1 ? atoi(argv[1]) : 100;
  int walked = 0, whole = 0, rooted = 0, deep = 0;
  for (int cycle = 0; cycle < cycles; cycle++) {
    Worker& worker = workers[cycle % kWorkers];
    const uint32_t port = pthread_mach_thread_np(worker.thread);
    const auto end = reinterpret_cast<uintptr_t>(pthread_get_stackaddr_np(worker.thread));
    const btrace::StackBounds stack{end - pthread_get_stacksize_np(worker.thread), end};
    uintptr_t places[256];
    const btrace::StoppedWalk walk = btrace::walk_stopped(port, stack, places, 256);
    if (walk.result != btrace::StoppedWalk::Result::Walked) continue;
    walked++;
    whole += walk.is_whole;
    deep += walk.count > kDepth;
    // The function that every worker began with: its frame is the last one of ours.
    const auto begin = reinterpret_cast<uintptr_t>(&work);
    for (uint32_t at = 0; at < walk.count; at++)
      if (places[at] - begin < 256) {
        rooted++;
        break;
      }
    // A sampler that stopped for a lock of a suspended thread's would stop here as well.
    free(malloc(64));
  }
  uint64_t slowest = ~uint64_t{0};
  for (Worker& worker : workers) {
    const uint64_t before = __atomic_load_n(&worker.rounds, __ATOMIC_RELAXED);
    for (int i = 0; i < 5000 && __atomic_load_n(&worker.rounds, __ATOMIC_RELAXED) == before; i++) usleep(1000);
    const uint64_t rounds = __atomic_load_n(&worker.rounds, __ATOMIC_RELAXED) - before;
    if (rounds < slowest) slowest = rounds;
  }
  __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
  for (Worker& worker : workers) pthread_join(worker.thread, nullptr);
  printf("{\"walked\": %d, \"whole\": %d, \"rooted\": %d, \"deep\": %d, \"slowestRounds\": %llu}\n", walked, whole,
         rooted, deep, slowest);
  fflush(nullptr);
  return 0;
}
