// Locks and waits that only iOS and macOS have.
#include "base/libc.h"
#include "rt/darwin/points.h"
#include "rt/native/waiting.h"

namespace btrace::native {

namespace {

struct Originals {
  void (*os_unfair_lock_lock)(void*);
  bool (*os_unfair_lock_trylock)(void*);
  void (*os_unfair_lock_unlock)(void*);
  long (*dispatch_semaphore_wait)(void*, u64);
  long (*dispatch_semaphore_signal)(void*);
  long (*dispatch_group_wait)(void*, u64);
  int (*kevent)(int, const void*, int, void*, int, const void*);
};
Originals original;

void hook_os_unfair_lock_lock(void* lock) {
  if (!active_session_id()) return original.os_unfair_lock_lock(lock);
  if (original.os_unfair_lock_trylock(lock)) return;
  Waiting waiting(SampleKind::Mutex, identity_of(lock));
  original.os_unfair_lock_lock(lock);
  waiting.end(BTRACE_CALLER());
}

void hook_os_unfair_lock_unlock(void* lock) {
  BTRACE_RELEASE(lock, MonitorRelease, false);
  original.os_unfair_lock_unlock(lock);
}

BTRACE_WAIT(long, dispatch_semaphore_wait, Condition, identity_of(semaphore), (void* semaphore, u64 until), semaphore,
            until)
BTRACE_WAIT(long, dispatch_group_wait, Condition, 0, (void* group, u64 until), group, until)

long hook_dispatch_semaphore_signal(void* semaphore) {
  BTRACE_RELEASE(semaphore, Notify, false);
  return original.dispatch_semaphore_signal(semaphore);
}

BTRACE_WAIT(int, kevent, Poll, 0,
            (int queue, const void* changes, int change_count, void* events, int event_count, const void* time), queue,
            changes, change_count, events, event_count, time)

constexpr const char *kLocks = "unfair locks", *kDispatch = "dispatch";
const Point kPoints[] = {
    BTRACE_POINT(os_unfair_lock_unlock, kLocks, Mutex),
    BTRACE_POINT(os_unfair_lock_lock, kLocks, Mutex),
    BTRACE_POINT(dispatch_semaphore_signal, kDispatch, Condition),
    BTRACE_POINT(dispatch_semaphore_wait, kDispatch, Condition),
    BTRACE_POINT(dispatch_group_wait, kDispatch, Condition),
    BTRACE_POINT(kevent, "poll", Poll),
};

}  // namespace

Points darwin_waiting_points() {
  original.os_unfair_lock_trylock = reinterpret_cast<bool (*)(void*)>(libc::symbol("os_unfair_lock_trylock"));
  return {kPoints, sizeof kPoints / sizeof kPoints[0]};
}

}  // namespace btrace::native
