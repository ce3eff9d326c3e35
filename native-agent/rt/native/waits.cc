// Calls that may wait, with the thread that ended the wait where one did. A call that has not waited costs two looks at
// the clock; a lock that is free costs none.
#include "base/clock.h"
#include "base/syscall.h"
#include "core/recorder.h"
#include "rt/native/waiting.h"

namespace btrace::native {

namespace {

using Time = sys::Timespec;

struct Originals {
  int (*pthread_mutex_lock)(void*);
  int (*pthread_mutex_timedlock)(void*, const Time*);
  int (*pthread_mutex_clocklock)(void*, int, const Time*);
  int (*pthread_mutex_trylock)(void*);
  int (*pthread_mutex_unlock)(void*);
  int (*pthread_rwlock_rdlock)(void*);
  int (*pthread_rwlock_tryrdlock)(void*);
  int (*pthread_rwlock_wrlock)(void*);
  int (*pthread_rwlock_trywrlock)(void*);
  int (*pthread_rwlock_unlock)(void*);
  int (*pthread_cond_wait)(void*, void*);
  int (*pthread_cond_timedwait)(void*, void*, const Time*);
  int (*pthread_cond_clockwait)(void*, void*, int, const Time*);
  int (*pthread_cond_signal)(void*);
  int (*pthread_cond_broadcast)(void*);
  int (*pthread_join)(unsigned long, void**);
  int (*sem_wait)(void*);
  int (*sem_timedwait)(void*, const Time*);
  int (*sem_clockwait)(void*, int, const Time*);
  int (*sem_post)(void*);
  int (*nanosleep)(const Time*, Time*);
  int (*clock_nanosleep)(int, int, const Time*, Time*);
  int (*usleep)(unsigned);
  unsigned (*sleep)(unsigned);
  long (*read)(int, void*, size_t);
  long (*readv)(int, const void*, int);
  long (*pread)(int, void*, size_t, long);
  long (*pread64)(int, void*, size_t, long);
  long (*write)(int, const void*, size_t);
  long (*writev)(int, const void*, int);
  long (*pwrite)(int, const void*, size_t, long);
  long (*pwrite64)(int, const void*, size_t, long);
  long (*recv)(int, void*, size_t, int);
  long (*recvfrom)(int, void*, size_t, int, void*, unsigned*);
  long (*recvmsg)(int, void*, int);
  long (*send)(int, const void*, size_t, int);
  long (*sendto)(int, const void*, size_t, int, const void*, unsigned);
  long (*sendmsg)(int, const void*, int);
  int (*accept)(int, void*, unsigned*);
  int (*accept4)(int, void*, unsigned*, int);
  int (*connect)(int, const void*, unsigned);
  int (*poll)(void*, unsigned long, int);
  int (*select)(int, void*, void*, void*, void*);
  int (*ppoll)(void*, unsigned long, const Time*, const void*);
  int (*pselect)(int, void*, void*, void*, const Time*, const void*);
  int (*epoll_wait)(int, void*, int, int);
  int (*epoll_pwait)(int, void*, int, int, const void*);
  int (*waitpid)(int, int*, int);
  int (*fsync)(int);
  int (*fdatasync)(int);
#if !defined(__APPLE__)
  long (*syscall)(long, long, long, long, long, long, long);
  int (*prctl)(int, unsigned long, unsigned long, unsigned long, unsigned long);
  int (*open)(const char*, int, unsigned);
  int (*open64)(const char*, int, unsigned);
  int (*openat)(int, const char*, int, unsigned);
  int (*openat64)(int, const char*, int, unsigned);
  int (*__open_2)(const char*, int);
  int (*__open64_2)(const char*, int);
  int (*__openat_2)(int, const char*, int);
  int (*__openat64_2)(int, const char*, int);
  int (*close)(int);
  int (*stat)(const char*, void*);
  int (*stat64)(const char*, void*);
  int (*lstat)(const char*, void*);
  int (*lstat64)(const char*, void*);
  int (*fstatat)(int, const char*, void*, int);
  int (*fstatat64)(int, const char*, void*, int);
#endif
};
Originals original;

// ---------------------------------------------------------------- locks

BTRACE_LOCK(pthread_mutex_lock, pthread_mutex_trylock)
BTRACE_LOCK_BY(pthread_mutex_timedlock, pthread_mutex_trylock, (void* lock, const Time* until), lock, until)
BTRACE_LOCK_BY(pthread_mutex_clocklock, pthread_mutex_trylock, (void* lock, int clock, const Time* until), lock, clock,
               until)
BTRACE_LOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock)
BTRACE_LOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock)

int hook_pthread_mutex_unlock(void* lock) {
  BTRACE_RELEASE(lock, MonitorRelease, false);
  return original.pthread_mutex_unlock(lock);
}

int hook_pthread_rwlock_unlock(void* lock) {
  BTRACE_RELEASE(lock, MonitorRelease, false);
  return original.pthread_rwlock_unlock(lock);
}

// ---------------------------------------------------------------- conditions, semaphores, threads

BTRACE_WAIT(int, pthread_cond_wait, Condition, identity_of(condition), (void* condition, void* mutex), condition, mutex)
BTRACE_WAIT(int, pthread_cond_timedwait, Condition, identity_of(condition),
            (void* condition, void* mutex, const Time* until), condition, mutex, until)
// What `std::condition_variable::wait_for` calls.
BTRACE_WAIT(int, pthread_cond_clockwait, Condition, identity_of(condition),
            (void* condition, void* mutex, int clock, const Time* until), condition, mutex, clock, until)
BTRACE_WAIT(int, sem_timedwait, Condition, identity_of(semaphore), (void* semaphore, const Time* until), semaphore,
            until)
BTRACE_WAIT(int, sem_clockwait, Condition, identity_of(semaphore), (void* semaphore, int clock, const Time* until),
            semaphore, clock, until)
BTRACE_WAIT(int, sem_wait, Condition, identity_of(semaphore), (void* semaphore), semaphore)
BTRACE_WAIT(int, pthread_join, Park, 0, (unsigned long thread, void** result_of), thread, result_of)

int hook_pthread_cond_signal(void* condition) {
  BTRACE_RELEASE(condition, Notify, false);
  return original.pthread_cond_signal(condition);
}

int hook_pthread_cond_broadcast(void* condition) {
  BTRACE_RELEASE(condition, Notify, true);
  return original.pthread_cond_broadcast(condition);
}

int hook_sem_post(void* semaphore) {
  BTRACE_RELEASE(semaphore, Notify, false);
  return original.sem_post(semaphore);
}

#if !defined(__APPLE__)
#if defined(__x86_64__)
// The last argument lies on the caller's stack, where it gave so many. Were it a parameter, the compiler might write
// there. The C library reads it in any case, too.
#define BTRACE_SYSCALL_PARAMETERS long number, long word, long operation, long value, long fourth, long fifth
#define BTRACE_SIXTH()  \
  long sixth;           \
  __builtin_memcpy(&sixth, __builtin_dwarf_cfa(), sizeof sixth)
#else
#define BTRACE_SYSCALL_PARAMETERS long number, long word, long operation, long value, long fourth, long fifth, long sixth
#define BTRACE_SIXTH() (void)0
#endif

// A thread that confines its system calls (seccomp) may be ended for one of ours, in the handler of its CPU timer. So the
// recording ends before.
void end_before_confinement() {
  constexpr i64 kMostNs = 2 * kNsPerSecond;
  if (active_session_id())
    finish_recording(EndReason::Stopped, "the program confines its system calls (seccomp)", kMostNs);
}

int hook_prctl(int option, unsigned long second, unsigned long third, unsigned long fourth, unsigned long fifth) {
  constexpr int kSetSeccomp = 22;
  if (option == kSetSeccomp) end_before_confinement();
  return original.prctl(option, second, third, fourth, fifth);
}

// Locks, conditions and parks of Rust, and `std::atomic::wait`, are words in memory that the kernel waits for. Which of
// them one is cannot be told.
long hook_syscall(BTRACE_SYSCALL_PARAMETERS) {
  constexpr long kCommand = 127, kWait = 0, kWake = 1, kWaitBits = 9, kWakeBits = 10;
  BTRACE_SIXTH();
  // 0 and 1: the thread is confined.
  if (number == sys::kSeccomp && (word == 0 || word == 1)) end_before_confinement();
  const long command = number == sys::kFutex && active_session_id() ? operation & kCommand : -1;
  if (command == kWake || command == kWakeBits) BTRACE_RELEASE(reinterpret_cast<void*>(word), Notify, value > 1);
  if (command != kWait && command != kWaitBits)
    return original.syscall(number, word, operation, value, fourth, fifth, sixth);
  Waiting waiting(SampleKind::Condition, identity_of(reinterpret_cast<void*>(word)));
  const long result = original.syscall(number, word, operation, value, fourth, fifth, sixth);
  waiting.end(BTRACE_CALLER());
  return result;
}
#endif

// ---------------------------------------------------------------- sleep, input and output

BTRACE_WAIT(int, nanosleep, Sleep, 0, (const Time* time, Time* left), time, left)
BTRACE_WAIT(int, clock_nanosleep, Sleep, 0, (int clock, int flags, const Time* time, Time* left), clock, flags, time,
            left)
BTRACE_WAIT(int, usleep, Sleep, 0, (unsigned us), us)
BTRACE_WAIT(unsigned, sleep, Sleep, 0, (unsigned seconds), seconds)
BTRACE_WAIT(long, read, Io, 0, (int fd, void* to, size_t bytes), fd, to, bytes)
BTRACE_WAIT(long, readv, Io, 0, (int fd, const void* to, int count), fd, to, count)
BTRACE_WAIT(long, pread, Io, 0, (int fd, void* to, size_t bytes, long at), fd, to, bytes, at)
BTRACE_WAIT(long, pread64, Io, 0, (int fd, void* to, size_t bytes, long at), fd, to, bytes, at)
BTRACE_WAIT(long, write, Io, 0, (int fd, const void* from, size_t bytes), fd, from, bytes)
BTRACE_WAIT(long, writev, Io, 0, (int fd, const void* from, int count), fd, from, count)
BTRACE_WAIT(long, pwrite, Io, 0, (int fd, const void* from, size_t bytes, long at), fd, from, bytes, at)
BTRACE_WAIT(long, pwrite64, Io, 0, (int fd, const void* from, size_t bytes, long at), fd, from, bytes, at)
BTRACE_WAIT(long, recv, Io, 0, (int fd, void* to, size_t bytes, int flags), fd, to, bytes, flags)
BTRACE_WAIT(long, recvfrom, Io, 0, (int fd, void* to, size_t bytes, int flags, void* from, unsigned* size), fd, to,
            bytes, flags, from, size)
BTRACE_WAIT(long, recvmsg, Io, 0, (int fd, void* message, int flags), fd, message, flags)
BTRACE_WAIT(long, send, Io, 0, (int fd, const void* from, size_t bytes, int flags), fd, from, bytes, flags)
BTRACE_WAIT(long, sendto, Io, 0, (int fd, const void* from, size_t bytes, int flags, const void* to, unsigned size), fd,
            from, bytes, flags, to, size)
BTRACE_WAIT(long, sendmsg, Io, 0, (int fd, const void* message, int flags), fd, message, flags)
BTRACE_WAIT(int, accept, Poll, 0, (int fd, void* from, unsigned* size), fd, from, size)
BTRACE_WAIT(int, accept4, Poll, 0, (int fd, void* from, unsigned* size, int flags), fd, from, size, flags)
BTRACE_WAIT(int, connect, Io, 0, (int fd, const void* to, unsigned size), fd, to, size)
BTRACE_WAIT(int, poll, Poll, 0, (void* fds, unsigned long count, int ms), fds, count, ms)
BTRACE_WAIT(int, select, Poll, 0, (int count, void* read, void* write, void* error, void* time), count, read, write,
            error, time)
BTRACE_WAIT(int, ppoll, Poll, 0, (void* fds, unsigned long count, const Time* time, const void* signals), fds, count,
            time, signals)
BTRACE_WAIT(int, pselect, Poll, 0,
            (int count, void* read, void* write, void* error, const Time* time, const void* signals), count, read, write,
            error, time, signals)
BTRACE_WAIT(int, epoll_wait, Poll, 0, (int fd, void* events, int count, int ms), fd, events, count, ms)
BTRACE_WAIT(int, epoll_pwait, Poll, 0, (int fd, void* events, int count, int ms, const void* signals), fd, events, count,
            ms, signals)
BTRACE_WAIT(int, waitpid, Park, 0, (int child, int* status, int options), child, status, options)
#if !defined(__APPLE__)
// To find, open or close a file may wait for a disk, a network or, of a pipe with a name, for who opens its other end.
// What is given only with some flags stands in its register in any case.
BTRACE_WAIT(int, open, Io, 0, (const char* path, int flags, unsigned mode), path, flags, mode)
BTRACE_WAIT(int, open64, Io, 0, (const char* path, int flags, unsigned mode), path, flags, mode)
BTRACE_WAIT(int, openat, Io, 0, (int folder, const char* path, int flags, unsigned mode), folder, path, flags, mode)
BTRACE_WAIT(int, openat64, Io, 0, (int folder, const char* path, int flags, unsigned mode), folder, path, flags, mode)
BTRACE_WAIT(int, __open_2, Io, 0, (const char* path, int flags), path, flags)
BTRACE_WAIT(int, __open64_2, Io, 0, (const char* path, int flags), path, flags)
BTRACE_WAIT(int, __openat_2, Io, 0, (int folder, const char* path, int flags), folder, path, flags)
BTRACE_WAIT(int, __openat64_2, Io, 0, (int folder, const char* path, int flags), folder, path, flags)
BTRACE_WAIT(int, close, Io, 0, (int fd), fd)
BTRACE_WAIT(int, stat, Io, 0, (const char* path, void* facts), path, facts)
BTRACE_WAIT(int, stat64, Io, 0, (const char* path, void* facts), path, facts)
BTRACE_WAIT(int, lstat, Io, 0, (const char* path, void* facts), path, facts)
BTRACE_WAIT(int, lstat64, Io, 0, (const char* path, void* facts), path, facts)
BTRACE_WAIT(int, fstatat, Io, 0, (int folder, const char* path, void* facts, int flags), folder, path, facts, flags)
BTRACE_WAIT(int, fstatat64, Io, 0, (int folder, const char* path, void* facts, int flags), folder, path, facts, flags)
#endif
BTRACE_WAIT(int, fsync, SyncToDisk, 0, (int fd), fd)
BTRACE_WAIT(int, fdatasync, SyncToDisk, 0, (int fd), fd)

constexpr const char *kLocks = "locks", *kConditions = "conditions", *kSleeps = "sleep", *kIo = "input and output";
// What ends waits comes before the waits; attempts are called by our own functions alone.
const Point kPoints[] = {
    BTRACE_POINT(pthread_mutex_unlock, kLocks, Mutex),
    BTRACE_POINT(pthread_rwlock_unlock, kLocks, Mutex),
    BTRACE_POINT(pthread_mutex_lock, kLocks, Mutex),
    BTRACE_POINT(pthread_mutex_timedlock, kLocks, Mutex),
    BTRACE_POINT(pthread_mutex_clocklock, kLocks, Mutex),
    BTRACE_POINT(pthread_rwlock_rdlock, kLocks, Mutex),
    BTRACE_POINT(pthread_rwlock_wrlock, kLocks, Mutex),
    BTRACE_POINT(pthread_cond_signal, kConditions, Condition),
    BTRACE_POINT(pthread_cond_broadcast, kConditions, Condition),
    BTRACE_POINT(sem_post, kConditions, Condition),
    BTRACE_POINT(pthread_cond_wait, kConditions, Condition),
    BTRACE_POINT(pthread_cond_timedwait, kConditions, Condition),
    BTRACE_POINT(pthread_cond_clockwait, kConditions, Condition),
#if !defined(__APPLE__)
    BTRACE_POINT(syscall, kConditions, Unknown),
    BTRACE_POINT(prctl, kConfinement, Unknown),
#endif
    BTRACE_POINT(sem_wait, kConditions, Condition),
    BTRACE_POINT(sem_timedwait, kConditions, Condition),
    BTRACE_POINT(sem_clockwait, kConditions, Condition),
    BTRACE_POINT(pthread_join, "join", Park),
    BTRACE_POINT(waitpid, "child", Park),
    BTRACE_POINT(nanosleep, kSleeps, Sleep),
    BTRACE_POINT(clock_nanosleep, kSleeps, Sleep),
    BTRACE_POINT(usleep, kSleeps, Sleep),
    BTRACE_POINT(sleep, kSleeps, Sleep),
    BTRACE_POINT(read, kIo, Io),
    BTRACE_POINT(readv, kIo, Io),
    BTRACE_POINT(pread, kIo, Io),
    BTRACE_POINT(pread64, kIo, Io),
    BTRACE_POINT(write, kIo, Io),
    BTRACE_POINT(writev, kIo, Io),
    BTRACE_POINT(pwrite, kIo, Io),
    BTRACE_POINT(pwrite64, kIo, Io),
    BTRACE_POINT(recv, kIo, Io),
    BTRACE_POINT(recvfrom, kIo, Io),
    BTRACE_POINT(recvmsg, kIo, Io),
    BTRACE_POINT(send, kIo, Io),
    BTRACE_POINT(sendto, kIo, Io),
    BTRACE_POINT(sendmsg, kIo, Io),
    BTRACE_POINT(connect, kIo, Io),
#if !defined(__APPLE__)
    BTRACE_POINT(open, kIo, Io),
    BTRACE_POINT(open64, kIo, Io),
    BTRACE_POINT(openat, kIo, Io),
    BTRACE_POINT(openat64, kIo, Io),
    BTRACE_POINT(__open_2, kIo, Io),
    BTRACE_POINT(__open64_2, kIo, Io),
    BTRACE_POINT(__openat_2, kIo, Io),
    BTRACE_POINT(__openat64_2, kIo, Io),
    BTRACE_POINT(close, kIo, Io),
    BTRACE_POINT(stat, kIo, Io),
    BTRACE_POINT(stat64, kIo, Io),
    BTRACE_POINT(lstat, kIo, Io),
    BTRACE_POINT(lstat64, kIo, Io),
    BTRACE_POINT(fstatat, kIo, Io),
    BTRACE_POINT(fstatat64, kIo, Io),
#endif
    BTRACE_POINT(accept, "poll", Poll),
    BTRACE_POINT(accept4, "poll", Poll),
    BTRACE_POINT(poll, "poll", Poll),
    BTRACE_POINT(select, "poll", Poll),
    BTRACE_POINT(ppoll, "poll", Poll),
    BTRACE_POINT(pselect, "poll", Poll),
    BTRACE_POINT(epoll_wait, "poll", Poll),
    BTRACE_POINT(epoll_pwait, "poll", Poll),
    BTRACE_POINT(fsync, "sync to disk", SyncToDisk),
    BTRACE_POINT(fdatasync, "sync to disk", SyncToDisk),
};

}  // namespace

Points waiting_points() {
  original.pthread_mutex_trylock = reinterpret_cast<int (*)(void*)>(libc::symbol("pthread_mutex_trylock"));
  original.pthread_rwlock_tryrdlock = reinterpret_cast<int (*)(void*)>(libc::symbol("pthread_rwlock_tryrdlock"));
  original.pthread_rwlock_trywrlock = reinterpret_cast<int (*)(void*)>(libc::symbol("pthread_rwlock_trywrlock"));
  return {kPoints, sizeof kPoints / sizeof kPoints[0]};
}

}  // namespace btrace::native
