// Handles requests on its main thread for a while. Each request meets the causes that the arguments name, each with the
// milliseconds that it takes of a request: "1200 SlowReads=40 HotLoop=12" (the first number: for how long, in ms).
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define FUNCTION extern "C" __attribute__((noinline, noclone))

static constexpr int64_t kMs = 1000000;
static volatile uint64_t sink;

static int64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}
static int64_t cpu_ns() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}
static void start_thread(void* (*run)(void*), const char* name) {
  pthread_t thread;
  if (pthread_create(&thread, nullptr, run, const_cast<char*>(name))) abort();
  pthread_detach(thread);
}
static void name_thread(const void* name) {
  pthread_setname_np(pthread_self(), static_cast<const char*>(name));
}
static void read_all(int file, void* into, size_t bytes) {
  if (read(file, into, bytes) != static_cast<ssize_t>(bytes)) exit(1);
}
static void write_all(int file, const void* from, size_t bytes) {
  if (write(file, from, bytes) != static_cast<ssize_t>(bytes)) exit(1);
}

// ---------------------------------------------------------------- work of many functions, so that none has most of it

static uint64_t numbers[512];
FUNCTION void mix_hashes() {
  for (uint64_t number : numbers) sink = sink * 31 + number;
}
FUNCTION void mix_sums() {
  for (size_t at = 0; at < 512; at++) numbers[at] += at * sink;
}
FUNCTION void mix_shifts() {
  for (size_t at = 0; at < 512; at++) sink = sink ^ (numbers[at] >> (at % 7));
}
FUNCTION void mix_products() {
  for (size_t at = 1; at < 512; at++) numbers[at] = numbers[at - 1] * 2654435761u + at;
}
FUNCTION void mix_divisions() {
  for (size_t at = 1; at < 128; at++) sink = sink + numbers[at] / at;
}
// Each has as much CPU time as the others, however busy the machine is. They do not come in turn: turns of a
// fixed length would fall in step with the kernel's ticks, and samples would meet the same one again and again.
static void mixed(int ms) {
  void (*const work[])() = {mix_hashes, mix_sums, mix_shifts, mix_products, mix_divisions};
  static uint32_t turn;
  const int64_t end = now_ns() + ms * kMs;
  while (now_ns() < end) {
    const uint32_t golden = turn++ * 2654435769u;
    const auto next = work[uint64_t{golden} * 5 >> 32];
    // To read that clock takes as long as a turn of the work.
    for (const int64_t until = cpu_ns() + 400000; cpu_ns() < until;)
      for (int more = 0; more < 50; more++) next();
  }
}

// ---------------------------------------------------------------- causes

static void prepare_nothing() {}

// The main thread waits for a mutex while another thread calculates with it.
static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;
static sem_t ordered, taken;
static int order_ms;
FUNCTION void settle_ledger(int ms) {
  const int64_t end = now_ns() + ms * kMs;
  while (now_ns() < end) mix_hashes();
  sink = sink + 1;
}
static void* settler(void* name) {
  name_thread(name);
  for (;;) {
    sem_wait(&ordered);
    pthread_mutex_lock(&ledger);
    sem_post(&taken);
    settle_ledger(order_ms);
    pthread_mutex_unlock(&ledger);
  }
}
static void prepare_held_lock() {
  sem_init(&ordered, 0, 0);
  sem_init(&taken, 0, 0);
  start_thread(settler, "settler");
}
FUNCTION void book_order() {
  pthread_mutex_lock(&ledger);
  sink = sink + 1;
  pthread_mutex_unlock(&ledger);
}
static void held_lock(int ms) {
  order_ms = ms;
  sem_post(&ordered);
  sem_wait(&taken);
  book_order();
}

// One function calculates.
FUNCTION void count_duplicates(int ms) {
  for (const int64_t end = now_ns() + ms * kMs; now_ns() < end;)
    for (size_t one = 0; one < 512; one++)
      for (size_t other = one; other < 512; other += 37) sink = sink + (numbers[one] == numbers[other]);
}

// A server answers slowly, and the main thread waits.
static int question[2], answer[2];
static void* slow_server(void* name) {
  name_thread(name);
  for (;;) {
    int ms;
    read_all(question[0], &ms, sizeof ms);
    usleep(ms * 1000);
    write_all(answer[1], &ms, sizeof ms);
  }
}
static void prepare_slow_reads() {
  if (pipe(question) || pipe(answer)) exit(1);
  start_thread(slow_server, "slow server");
}
FUNCTION void ask_server(int ms) {
  write_all(question[1], &ms, sizeof ms);
  read_all(answer[0], &ms, sizeof ms);
  sink = sink + 1;
}

// It sleeps before it tries again.
FUNCTION void retry_later(int ms) {
  usleep(ms * 1000);
  sink = sink + 1;
}

// It looks things up in a file that is mapped and not in memory.
static constexpr size_t kFileBytes = 32 << 20, kPage = 4096;
static int catalogue;
static const volatile char* pages;
static size_t next_page;
static void map_catalogue() {
  if (pages) munmap(const_cast<char*>(pages), kFileBytes);
  posix_fadvise(catalogue, 0, 0, POSIX_FADV_DONTNEED);
  void* at = mmap(nullptr, kFileBytes, PROT_READ, MAP_SHARED, catalogue, 0);
  if (at == MAP_FAILED) exit(1);
  madvise(at, kFileBytes, MADV_RANDOM);
  pages = static_cast<const char*>(at);
  next_page = 0;
}
static void prepare_page_faults() {
  char name[] = "/var/tmp/planted-XXXXXX";
  catalogue = mkstemp(name);
  if (catalogue < 0) exit(1);
  unlink(name);
  static char block[1 << 20];
  memset(block, 7, sizeof block);
  for (size_t written = 0; written < kFileBytes; written += sizeof block) write_all(catalogue, block, sizeof block);
  fsync(catalogue);
  map_catalogue();
}
FUNCTION void find_in_catalogue(int ms) {
  for (const int64_t end = now_ns() + ms * kMs; now_ns() < end; next_page++) {
    if (next_page == kFileBytes / kPage) map_catalogue();
    sink = sink + pages[next_page * 1021 % (kFileBytes / kPage) * kPage];
  }
}

struct Cause {
  const char* name;
  void (*prepare)();
  void (*step)(int ms);
};
static const Cause causes[] = {
    {"HeldLock", prepare_held_lock, held_lock},     {"HotLoop", prepare_nothing, count_duplicates},
    {"SlowReads", prepare_slow_reads, ask_server},  {"Sleeps", prepare_nothing, retry_later},
    {"PageFaults", prepare_page_faults, find_in_catalogue}, {"Mixed", prepare_nothing, mixed},
};

int main(int count, char** words) {
  struct Chosen {
    const Cause* cause;
    int ms;
  } chosen[8];
  size_t chosen_count = 0;
  for (int at = 2; at < count && chosen_count < 8; at++) {
    const char* ms = strchr(words[at], '=');
    for (const Cause& cause : causes)
      if (ms && strlen(cause.name) == static_cast<size_t>(ms - words[at]) &&
          !strncmp(cause.name, words[at], ms - words[at])) {
        cause.prepare();
        chosen[chosen_count++] = {&cause, atoi(ms + 1)};
      }
  }
  if (count < 3 || chosen_count != static_cast<size_t>(count - 2)) return 2;
  for (const int64_t end = now_ns() + atoi(words[1]) * kMs; now_ns() < end;)
    for (size_t at = 0; at < chosen_count; at++) chosen[at].cause->step(chosen[at].ms);
  return 0;
}
