// A program of Darwin that measures what it does, by its own clocks, and prints it as JSON: what a recording of it must
// say.
#include "libsystem.h"

static void name_thread(const char* name) {
  pthread_setname_np(name);
}

#include "known_times.h"

static uint32_t unfair;
static DispatchSemaphore* semaphore;
static bool is_unfair_held, wants_unfair, wants_semaphore;
static long long waited_unfair, waited_semaphore;

FUNCTION void hold_unfair_lock() {
  os_unfair_lock_lock(&unfair);
  say(is_unfair_held);
  wait_for(wants_unfair);
  pause_ms(50);
  os_unfair_lock_unlock(&unfair);
  sink = sink + 1;
}
FUNCTION void want_unfair_lock() {
  wait_for(is_unfair_held);
  say(wants_unfair);
  const int64_t begin = now_ns();
  os_unfair_lock_lock(&unfair);
  waited_unfair = now_ns() - begin;
  os_unfair_lock_unlock(&unfair);
  sink = sink + 1;
}
FUNCTION void want_semaphore() {
  say(wants_semaphore);
  const int64_t begin = now_ns();
  dispatch_semaphore_wait(semaphore, kForever);
  waited_semaphore = now_ns() - begin;
}
FUNCTION void give_semaphore() {
  dispatch_semaphore_signal(semaphore);
  sink = sink + 1;
}

static int64_t burn_ms;

// Each wait several times: on a busy machine another thread may run between the program's clock and the wait.
constexpr int kRounds = 3;
static int round_begun, ended_rounds;
static bool wants_pipe;

static void begin_round(int round) {
  while (__atomic_load_n(&round_begun, __ATOMIC_ACQUIRE) < round) pause_ms(1);
}
static void end_round() {
  __atomic_fetch_add(&ended_rounds, 1, __ATOMIC_RELEASE);
}

static void* holder(void*) {
  name_thread("holder");
  for (int round = 1; round <= kRounds; round++) {
    begin_round(round);
    hold_lock();
    hold_unfair_lock();
    end_round();
  }
  return nullptr;
}
static void* waiter(void*) {
  name_thread("waiter");
  for (int round = 1; round <= kRounds; round++) {
    begin_round(round);
    want_lock();
    want_unfair_lock();
    want_hand_over();
    want_semaphore();
    end_round();
  }
  return nullptr;
}
static void* pipe_writer(void*) {
  name_thread("writer");
  for (int round = 1; round <= kRounds; round++) {
    begin_round(round);
    wait_for(wants_pipe);
    pause_ms(45);
    if (write(pipe_ends[1], "x", 1) != 1) abort();
    end_round();
  }
  return nullptr;
}
static void* worker(void*) {
  name_thread("worker");
  burn_deep(40, burn_ms * kMs);
  allocate_small();
  allocate_large();
  end_allocations();
  return nullptr;
}

struct Waits {
  const char* name;
  const long long* last;
  long long rounds[kRounds];
};
static Waits waits[] = {{"want_lock", &waited_lock, {}},
                        {"want_unfair_lock", &waited_unfair, {}},
                        {"want_hand_over", &waited_condition, {}},
                        {"want_semaphore", &waited_semaphore, {}},
                        {"read_pipe", &waited_pipe, {}},
                        {"poll_pipe", &waited_poll, {}},
                        {"rest", &slept, {}}};

// The main thread's part; the others wait for the next round meanwhile.
static void play_round(int round) {
  bool* const flags[] = {&is_held,        &is_handed,    &wants_lock,      &wants_hand_over,
                         &is_unfair_held, &wants_unfair, &wants_semaphore, &wants_pipe};
  for (bool* flag : flags) *flag = false;
  ended_rounds = 0;
  __atomic_store_n(&round_begun, round, __ATOMIC_RELEASE);
  wait_for(wants_hand_over);
  pause_ms(5);
  hand_over();
  wait_for(wants_semaphore);
  pause_ms(30);
  give_semaphore();
  poll_pipe();
  rest();
  say(wants_pipe);
  read_pipe();
  while (__atomic_load_n(&ended_rounds, __ATOMIC_ACQUIRE) < 3) pause_ms(1);
  for (Waits& of : waits) of.rounds[round - 1] = *of.last;
}

// truth [MS]: see `burn`.
int main(int argc, char** argv) asm("_main");
int main(int argc, char** argv) {
  burn_ms = argc > 1 ? atoi(argv[1]) : 100;
  if (pipe(pipe_ends) != 0) return 1;
  semaphore = dispatch_semaphore_create(0);
  void* (*const parts[])(void*) = {holder, waiter, pipe_writer, worker};
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], nullptr, parts[i], nullptr);
  burn(burn_ms);
  for (int round = 1; round <= kRounds; round++) play_round(round);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  print_cpu_and_allocations();
  const char* before = " \"waits\": {";
  for (const Waits& of : waits) {
    printf("%s\"%s\": [%lld, %lld, %lld]", before, of.name, of.rounds[0], of.rounds[1], of.rounds[2]);
    before = ", ";
  }
  // What the program sees of the environment.
  printf("},\n \"environment\": {\"inserted\": %d, \"options\": %d}}\n", getenv("DYLD_INSERT_LIBRARIES") != nullptr,
         getenv("BTRACE_NATIVE") != nullptr);
  fflush(nullptr);
  return 7;
}
