// A native program whose times are known. It measures itself what it does, by its own clocks, and says so at the end:
//   cpu NAME NS        CPU time of all calls of a function with all that it calls
//   wait NAME COUNT NS waits of a kind, and how long they were together
// `truth SECONDS` ends when its burner has used so much CPU time, however long that takes. Built with -O2 -g; functions marked `inline` below are inlined.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

namespace truth {

static long now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000l + time.tv_nsec;
}

struct Sum {
  std::atomic<long> count{0}, ns{0};
  void add(long more) { count++, ns += more; }
};
static Sum large, medium, small, deep, naps, handed;
static volatile unsigned long sink;
static long burnt_ns;
static std::atomic<bool> over{false};
static bool is_over() { return over; }

__attribute__((always_inline)) inline void spin(long turns) {
  for (long i = 0; i < turns; i++) sink = sink * 2862933555777941757ul + 3037000493ul;  // line of the inlined loop
}
[[gnu::noinline]] static void burn_large() { spin(600000); }
[[gnu::noinline]] static void burn_medium() { spin(300000); }
[[gnu::noinline]] static void burn_small() { spin(100000); }

[[gnu::noinline]] static int recurse(int depth) {
  if (depth == 0) {
    spin(200000);
    return 1;
  }
  return recurse(depth - 1) + 1;
}

template <class Work>
static void timed(Sum& sum, Work work) {
  const long begin = now(CLOCK_THREAD_CPUTIME_ID);
  work();
  sum.add(now(CLOCK_THREAD_CPUTIME_ID) - begin);
}

static void burner() {
  pthread_setname_np(pthread_self(), "burner");
  while (now(CLOCK_THREAD_CPUTIME_ID) < burnt_ns) {
    timed(large, [] { burn_large(); });
    timed(medium, [] { burn_medium(); });
    timed(small, [] { burn_small(); });
    timed(deep, [] { sink = sink + static_cast<unsigned long>(recurse(60)); });
  }
  over = true;
}

[[gnu::noinline]] static void nap() {
  const long begin = now(CLOCK_MONOTONIC);
  usleep(30000);  // line of the sleep
  naps.add(now(CLOCK_MONOTONIC) - begin);
}

static void sleeper() {
  pthread_setname_np(pthread_self(), "sleeper");
  while (!is_over()) nap();
}

// One holds the lock while it sleeps, the other one waits for it meanwhile.
static std::mutex lock;
static std::atomic<int> turn{0};

[[gnu::noinline]] static void take_over() {
  const long begin = now(CLOCK_MONOTONIC);
  lock.lock();
  handed.add(now(CLOCK_MONOTONIC) - begin);
  lock.unlock();
}

static void holder() {
  pthread_setname_np(pthread_self(), "holder");
  while (!is_over()) {
    lock.lock();
    turn = 1;
    usleep(20000);
    lock.unlock();
    while (turn == 1 && !is_over()) usleep(1000);
  }
  turn = 3;
}

static void waiter() {
  pthread_setname_np(pthread_self(), "waiter");
  while (turn != 3) {
    if (turn != 1) {
      usleep(200);
      continue;
    }
    take_over();
    int taken = 1;
    turn.compare_exchange_strong(taken, 0);
  }
}

}  // namespace truth

int main(int count, char** words) {
  using namespace truth;
  const double seconds = count > 1 ? atof(words[1]) : 3;
  burnt_ns = static_cast<long>(seconds * 1e9);
  std::thread threads[] = {std::thread(burner), std::thread(sleeper), std::thread(holder), std::thread(waiter)};
  for (std::thread& one : threads) one.join();
  const auto cpu = [](const char* name, const Sum& sum) { printf("cpu %s %ld\n", name, sum.ns.load()); };
  cpu("burn_large", large), cpu("burn_medium", medium), cpu("burn_small", small), cpu("recurse", deep);
  printf("wait nap %ld %ld\nwait take_over %ld %ld\n", naps.count.load(), naps.ns.load(), handed.count.load(), handed.ns.load());
}
