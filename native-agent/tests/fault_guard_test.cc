// The guard around reads of memory that may not be there.
#include "os/fault_guard.h"

#include <csignal>
#include <thread>

#include "base/pages.h"
#include "harness.h"

using namespace btrace;

namespace {

struct Read {
  const volatile int* from;
  int value;
};
// Not inlined, with registers of its own in use: they must be right again afterwards.
__attribute__((noinline)) void read_deeply(void* data) {
  auto& read = *static_cast<Read*>(data);
  volatile double kept[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  read.value = *read.from + static_cast<int>(kept[3]);
}

// In the first page, which nobody gets: a page that was given back may be another thread's by now.
const int* nowhere() {
  static volatile uintptr_t address = 4000;
  return reinterpret_cast<const int*>(address);
}

TEST("fault guard: a read of nothing comes back, one of something goes through, again and again") {
  CHECK(install_fault_guard());
  int there = 38;
  double sum = 0;
  for (int turn = 0; turn < 100; turn++) {
    sum += turn * 0.5;
    Read good{&there, 0}, bad{nowhere(), 0};
    CHECK(guarded(read_deeply, &good));
    CHECK_EQUAL(good.value, 42);
    CHECK(!guarded(read_deeply, &bad));
    CHECK_EQUAL(bad.value, 0);
  }
  CHECK_EQUAL(sum, 2475.0);
  remove_fault_guard();
}

TEST("fault guard: each thread has its own, and one within another comes back to the inner") {
  CHECK(install_fault_guard());
  std::thread others[4];
  int ended[4] = {};
  for (int i = 0; i < 4; i++)
    others[i] = std::thread([&ended, i] {
      for (int turn = 0; turn < 50; turn++) {
        bool inner = true;
        const bool outer = guarded(
            [](void* data) {
              Read bad{nowhere(), 0};
              *static_cast<bool*>(data) = guarded(read_deeply, &bad);
            },
            &inner);
        ended[i] += outer && !inner;
      }
    });
  for (std::thread& other : others) other.join();
  for (int count : ended) CHECK_EQUAL(count, 50);
  remove_fault_guard();
}

volatile int* g_repaired;
int g_passed_on;
void repair(int, siginfo_t*, void*) {
  g_passed_on++;
  map_pages(4096);  // the handler of a program that mends what it met
  static int there = 7;
  g_repaired = &there;
}

TEST("fault guard: faults outside of it go to whom they went before, who is in place again afterwards") {
  struct sigaction theirs{}, now{}, before{};
  theirs.sa_sigaction = repair;
  theirs.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &theirs, &before);
  CHECK(install_fault_guard());
  g_repaired = nullptr;
  raise(SIGSEGV);
  CHECK_EQUAL(g_passed_on, 1);
  CHECK_EQUAL(*g_repaired, 7);
  remove_fault_guard();
  sigaction(SIGSEGV, nullptr, &now);
  CHECK(now.sa_sigaction == repair);
  sigaction(SIGSEGV, &before, nullptr);
}

}  // namespace
