#pragma once
// Own declarations of the functions of Darwin that the programs here call.
#include <stddef.h>
#include <stdint.h>

extern "C" {
typedef struct DarwinThread* pthread_t;
struct pthread_mutex_t {
  long signature;
  char rest[56];
};
struct pthread_cond_t {
  long signature;
  char rest[40];
};
#define PTHREAD_MUTEX_INITIALIZER {0x32AAABA7, {}}
#define PTHREAD_COND_INITIALIZER {0x3CB0B1BB, {}}
struct pollfd {
  int fd;
  short events, revents;
};
struct timespec {
  long tv_sec, tv_nsec;
};

int pthread_create(pthread_t*, const void*, void* (*)(void*), void*);
int pthread_join(pthread_t, void**);
int pthread_setname_np(const char*);
uint32_t pthread_mach_thread_np(pthread_t);
void* pthread_get_stackaddr_np(pthread_t);
size_t pthread_get_stacksize_np(pthread_t);
int pthread_mutex_lock(pthread_mutex_t*);
int pthread_mutex_unlock(pthread_mutex_t*);
int pthread_cond_wait(pthread_cond_t*, pthread_mutex_t*);
int pthread_cond_signal(pthread_cond_t*);
void os_unfair_lock_lock(uint32_t*);
void os_unfair_lock_unlock(uint32_t*);
struct DispatchSemaphore;
DispatchSemaphore* dispatch_semaphore_create(long);
long dispatch_semaphore_wait(DispatchSemaphore*, uint64_t);
long dispatch_semaphore_signal(DispatchSemaphore*);
uint64_t clock_gettime_nsec_np(int);
int nanosleep(const timespec*, timespec*);
int usleep(unsigned);
int poll(pollfd*, unsigned, int);
int pipe(int*);
long read(int, void*, size_t);
long write(int, const void*, size_t);
void* malloc(size_t);
void free(void*);
void* memset(void*, int, size_t);
void* dlopen(const char*, int);
void* dlsym(void*, const char*);
int printf(const char*, ...);
int fflush(void*);
int atoi(const char*);
char* getenv(const char*);
[[noreturn]] void abort();
}

constexpr int kMonotonicClock = 8, kThreadCpuClock = 16;
constexpr uint64_t kForever = ~uint64_t{0};

#define FUNCTION extern "C" __attribute__((noinline))

inline int64_t now_ns() {
  return static_cast<int64_t>(clock_gettime_nsec_np(kMonotonicClock));
}
inline int64_t cpu_ns() {
  return static_cast<int64_t>(clock_gettime_nsec_np(kThreadCpuClock));
}
