#pragma once
// What points around calls that wait have in common: the wait is published while it lasts, and captured when it ends.
#include "rt/native/native.h"

namespace btrace::native {

u64 identity_of(const void* object);

// How many threads wait for what may be this object.
Atomic<u32>& waiters_of(u64 object);

// Around one call. `object`: of a wait that another thread of the program may end, else 0.
class Waiting {
 public:
  // For a wait whose begin and end are told by two calls: it is in none until begin().
  Waiting() = default;
  explicit Waiting(SampleKind kind, u64 object = 0) { begin(kind, object); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  void begin(SampleKind kind, u64 object = 0);
  // Without a begin, nothing.
  void end(const Registers& from);

 private:
  i64 capture(const Wait& ended, const Registers& from);

  SampleKind kind_ = SampleKind::Unknown;
  ThreadRecord* record_ = nullptr;
  Wait wait_{};
};

// Before the calling thread ends a wait for `object`: takes its stack if the wait is long enough, and tells the waiter, or
// all of them.
void release(u64 object, SampleKind kind, bool all, const Registers& from);

#define BTRACE_RELEASE(object, kind, all)                                                    \
  do {                                                                                       \
    const u64 released = identity_of(object);                                                \
    if (waiters_of(released).load_relaxed()) release(released, SampleKind::kind, all, BTRACE_CALLER()); \
  } while (0)

// EBUSY, and EOWNERDEAD of Linux.
inline constexpr int kBusy = 16, kOwnerDied = 130;

// A lock that is free is taken without a wait, and so is one whose owner died. All else that the attempt says is for the
// call itself to say.
#define BTRACE_LOCK_BY(name, attempt, parameters, ...)           \
  int hook_##name parameters {                                   \
    if (!active_session_id()) return original.name(__VA_ARGS__); \
    const int tried = original.attempt(lock);                    \
    if (tried == 0 || tried == kOwnerDied) return tried;         \
    if (tried != kBusy) return original.name(__VA_ARGS__);       \
    Waiting waiting(SampleKind::Mutex, identity_of(lock));       \
    const int result = original.name(__VA_ARGS__);               \
    waiting.end(BTRACE_CALLER());                                \
    return result;                                               \
  }
#define BTRACE_LOCK(name, attempt) BTRACE_LOCK_BY(name, attempt, (void* lock), lock)

#define BTRACE_WAIT(type, name, kind, object, parameters, ...) \
  type hook_##name parameters {                                \
    Waiting waiting(SampleKind::kind, object);                 \
    const type result = original.name(__VA_ARGS__);            \
    waiting.end(BTRACE_CALLER());                              \
    return result;                                             \
  }

}  // namespace btrace::native
