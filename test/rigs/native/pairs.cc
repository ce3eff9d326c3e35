// For the bench: allocates and frees for as long as it is told, and prints what each pair took.
//   pairs CPU-MS WORK [none | clock]: WORK steps of arithmetic go with each pair; `none`: the steps alone; `clock`: a read
//   of a clock in place of the pair
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cstdint>

namespace {

double cpu_ns() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

constexpr int kSlots = 256, kTurn = 4096;
void* slots[kSlots];
uint64_t random_state = 1;

uint64_t next_random() {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return random_state >> 33;
}

}  // namespace

extern "C" [[gnu::noinline]] void compute(int steps) {
  for (int i = 0; i < steps; i++) random_state = random_state * 2862933555777941757u + 3037000493u;
}

// 16 to 271 bytes; each lives until its place is needed again.
extern "C" [[gnu::noinline]] void allocate_and_free() {
  void*& slot = slots[next_random() % kSlots];
  free(slot);
  slot = malloc(16 + next_random() % 256);
  *static_cast<volatile char*>(slot) = 1;
}

extern "C" [[gnu::noinline]] void read_clock() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  random_state += static_cast<uint64_t>(time.tv_nsec);
}

int main(int count, char** args) {
  if (count < 3) return 2;
  const double most_ns = atof(args[1]) * 1e6;
  const int work = atoi(args[2]);
  const bool is_clock = count > 3 && !strcmp(args[3], "clock");
  const bool is_pair = count < 4;
  const double begin_ns = cpu_ns();
  double took_ns = 0, pairs = 0;
  do {
    for (int i = 0; i < kTurn; i++) {
      if (is_pair) allocate_and_free();
      if (is_clock) read_clock();
      compute(work);
    }
    pairs += kTurn;
    took_ns = cpu_ns() - begin_ns;
  } while (took_ns < most_ns);
  printf("{\"pairNs\":%.3f,\"pairs\":%.0f,\"sum\":%d}\n", took_ns / pairs, pairs, static_cast<int>(random_state & 1));
}
