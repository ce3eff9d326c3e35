// Threads that the program creates are told from their first moment, with their creator.
#include "core/created_threads.h"
#include "rt/native/native.h"

namespace btrace::native {

namespace {

struct Originals {
  int (*pthread_create)(unsigned long* thread, const void* attributes, void* (*run)(void*), void* argument);
};
Originals original;

int hook_pthread_create(unsigned long* thread, const void* attributes, void* (*run)(void*), void* argument) {
  Session* session = active_session();
  CreatedThread* created = session ? expect_thread(*session, run, argument) : nullptr;
  if (!created) return original.pthread_create(thread, attributes, run, argument);
  // The new thread lets go of it, maybe before this one goes on.
  const u32 child = created->index;
  const int error = original.pthread_create(thread, attributes, begin_created, created);
  if (error) {
    forget_expected(*created);
    return error;
  }
  Capture capture;
  if (capture.begin(own_record(), SampleKind::ThreadStart, true)) {
    read_counters(capture.row(), capture.record());
    capture.row().peer = child;
    capture.commit(walk_from(capture, BTRACE_CALLER()));
  }
  return 0;
}

const Point kPoints[] = {BTRACE_POINT(pthread_create, "thread start", ThreadStart)};

}  // namespace

Points creation_points() {
  return {kPoints, sizeof kPoints / sizeof kPoints[0]};
}

}  // namespace btrace::native
