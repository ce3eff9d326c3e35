// Locks: where Darwin's has its own layout, it holds a pointer to one of glibc's behind its signature.
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>

#include "system.h"

namespace {

struct DarwinLock {
  long signature;
  std::atomic<void*> real;
};

// The first thread that comes makes it; a static initialiser has written the signature alone.
template <class Real>
Real* inside(DarwinLock* lock, void (*init)(Real*)) {
  void* there = lock->real;
  if (there) return static_cast<Real*>(there);
  auto* made = new Real;
  init(made);
  if (lock->real.compare_exchange_strong(there, made)) return made;
  delete made;
  return static_cast<Real*>(there);
}

pthread_mutex_t* mutex(DarwinLock* lock) {
  return inside<pthread_mutex_t>(lock, [](pthread_mutex_t* real) { pthread_mutex_init(real, nullptr); });
}
pthread_cond_t* condition(DarwinLock* lock) {
  return inside<pthread_cond_t>(lock, [](pthread_cond_t* real) { pthread_cond_init(real, nullptr); });
}
pthread_rwlock_t* rwlock(DarwinLock* lock) {
  return inside<pthread_rwlock_t>(lock, [](pthread_rwlock_t* real) { pthread_rwlock_init(real, nullptr); });
}

int init(DarwinLock* lock, const void*) {
  lock->real = nullptr;
  return 0;
}
int destroy(DarwinLock*) {
  return 0;
}
// Darwin's number for a lock that is taken is Linux's.
int mutex_lock(DarwinLock* lock) { return pthread_mutex_lock(mutex(lock)); }
int mutex_trylock(DarwinLock* lock) { return pthread_mutex_trylock(mutex(lock)); }
int mutex_unlock(DarwinLock* lock) { return pthread_mutex_unlock(mutex(lock)); }
int cond_wait(DarwinLock* lock, DarwinLock* with) { return pthread_cond_wait(condition(lock), mutex(with)); }
int cond_timedwait(DarwinLock* lock, DarwinLock* with, const timespec* until) {
  constexpr int kTimedOut = 60;
  const int error = pthread_cond_timedwait(condition(lock), mutex(with), until);
  return error == ETIMEDOUT ? kTimedOut : error;
}
int cond_signal(DarwinLock* lock) { return pthread_cond_signal(condition(lock)); }
int cond_broadcast(DarwinLock* lock) { return pthread_cond_broadcast(condition(lock)); }
int read_lock(DarwinLock* lock) { return pthread_rwlock_rdlock(rwlock(lock)); }
int try_read_lock(DarwinLock* lock) { return pthread_rwlock_tryrdlock(rwlock(lock)); }
int write_lock(DarwinLock* lock) { return pthread_rwlock_wrlock(rwlock(lock)); }
int try_write_lock(DarwinLock* lock) { return pthread_rwlock_trywrlock(rwlock(lock)); }
int rw_unlock(DarwinLock* lock) { return pthread_rwlock_unlock(rwlock(lock)); }

// os_unfair_lock: one word. 0: free, 1: taken, 2: taken and waited for.
bool unfair_trylock(std::atomic<int>* word) {
  int free = 0;
  return word->compare_exchange_strong(free, 1);
}
void unfair_lock(std::atomic<int>* word) {
  if (unfair_trylock(word)) return;
  while (word->exchange(2) != 0) syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 2, nullptr, nullptr, 0);
}
void unfair_unlock(std::atomic<int>* word) {
  if (word->exchange(0) == 2) syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

// Of dispatch, semaphores alone. The time to wait until is 0 (not at all) or all ones (for ever).
sem_t* semaphore_create(long value) {
  auto* made = new sem_t;
  sem_init(made, 0, static_cast<unsigned>(value));
  return made;
}
long semaphore_wait(sem_t* semaphore, uint64_t until) {
  if (!until) return sem_trywait(semaphore) ? 49 : 0;
  while (sem_wait(semaphore)) {
  }
  return 0;
}
long semaphore_signal(sem_t* semaphore) {
  return sem_post(semaphore);
}

const Export kExports[] = {
    {"pthread_mutex_init", function(init)},
    {"pthread_mutex_destroy", function(destroy)},
    {"pthread_mutex_lock", function(mutex_lock)},
    {"pthread_mutex_trylock", function(mutex_trylock)},
    {"pthread_mutex_unlock", function(mutex_unlock)},
    {"pthread_cond_init", function(init)},
    {"pthread_cond_destroy", function(destroy)},
    {"pthread_cond_wait", function(cond_wait)},
    {"pthread_cond_timedwait", function(cond_timedwait)},
    {"pthread_cond_signal", function(cond_signal)},
    {"pthread_cond_broadcast", function(cond_broadcast)},
    {"pthread_rwlock_rdlock", function(read_lock)},
    {"pthread_rwlock_tryrdlock", function(try_read_lock)},
    {"pthread_rwlock_wrlock", function(write_lock)},
    {"pthread_rwlock_trywrlock", function(try_write_lock)},
    {"pthread_rwlock_unlock", function(rw_unlock)},
    {"os_unfair_lock_lock", function(unfair_lock)},
    {"os_unfair_lock_trylock", function(unfair_trylock)},
    {"os_unfair_lock_unlock", function(unfair_unlock)},
    {"dispatch_semaphore_create", function(semaphore_create)},
    {"dispatch_semaphore_wait", function(semaphore_wait)},
    {"dispatch_semaphore_signal", function(semaphore_signal)},
};

}  // namespace

Exports lock_exports() {
  return {kExports, sizeof kExports / sizeof *kExports};
}
