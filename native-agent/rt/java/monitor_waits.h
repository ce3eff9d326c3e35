#pragma once
// Joins a thread that waits for a monitor with the thread that releases it, where the runtime tells of neither: both
// make calls of the C library that a runtime (rt/*/monitor_release.cc) sees. The waiter says where in memory it sleeps,
// and the thread that wakes a sleeper there has released the monitor.
#include "core/session.h"
#include "os/imports.h"

namespace btrace {

// The calling thread's wait for a monitor begins and has ended. At its end: true if it is known who released it; then
// the wait names that thread and no owner.
void begin_monitor_wait(ThreadRecord& record);
bool end_monitor_wait(ThreadRecord& record, Wait& wait);

// The calling thread's record if it waits for a monitor just now, else nullptr.
ThreadRecord* waiting_for_monitor();
void sleep_for_monitor(ThreadRecord& record, u64 address);

// False: nobody sleeps, so that there is nothing to look for.
bool any_sleep_for_monitors();
// What the calling thread is about to end by waking who sleeps there; `waiter` is nullptr where that is nobody's wait
// for a monitor.
struct MonitorRelease {
  ThreadRecord* waiter;
  ThreadRecord* releaser;  // the calling thread's
  Wait wait;
  i64 now_ns;
  bool is_long;  // its releaser is to be captured
};
MonitorRelease monitor_release_at(u64 address);
// `time_ns`: of the releaser's sample, kNotCaptured where there is none.
void record_monitor_release(const MonitorRelease& release, i64 time_ns);

// Puts in, and takes out, the hook of a runtime whose calls of the C library are seen. `missing`: why it cannot be put in,
// or nullptr. `bind` redirects the calls; false where that is not certain.
using BindCalls = bool (*)(Imports& imports);
void enable_monitor_releases(Session& session, Imports& imports, const char* missing, BindCalls bind);
void disable_monitor_releases(Session& session, Imports& imports);

}  // namespace btrace
