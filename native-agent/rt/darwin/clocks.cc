// Reads of clocks. Programs make many, around their work and within it: so a thread is seen where it works without
// being suspended. They take a stack only when the thread's interval has passed.
#include "core/capture.h"
#include "rt/native/native.h"

namespace btrace::native {

namespace {

struct Originals {
  u64 (*mach_absolute_time)();
  u64 (*mach_continuous_time)();
  u64 (*clock_gettime_nsec_np)(int);
  int (*clock_gettime)(int, void*);
  int (*gettimeofday)(void*, void*);
};
Originals original;

// nullptr: nothing is recorded, or it is too early. A pthread_getspecific and a read of the processor's counter.
[[gnu::always_inline]] inline ThreadRecord* record_if_due() {
  if (!active_session_id()) return nullptr;
  ThreadRecord* record = g_threads.current_record();
  return record && read_is_due(*record) && gate_open(*record) ? record : nullptr;
}

[[gnu::noinline]] void capture_read(ThreadRecord* record, const Registers& from) {
  Capture capture;
  if (!capture.begin(record, SampleKind::ClockRead, false)) return;
  read_counters(capture.row(), *record);
  capture.commit(walk_from(capture, from));
}

#define BTRACE_CLOCK(type, name, parameters, ...)                                       \
  type hook_##name parameters {                                                         \
    if (ThreadRecord* record = record_if_due()) capture_read(record, BTRACE_CALLER()); \
    return original.name(__VA_ARGS__);                                                  \
  }

// Before the call, which is a jump then.
BTRACE_CLOCK(u64, mach_absolute_time, ())
BTRACE_CLOCK(u64, mach_continuous_time, ())
BTRACE_CLOCK(u64, clock_gettime_nsec_np, (int clock), clock)
BTRACE_CLOCK(int, clock_gettime, (int clock, void* time), clock, time)
BTRACE_CLOCK(int, gettimeofday, (void* time, void* zone), time, zone)

constexpr const char* kGroup = "clock reads";
const Point kPoints[] = {
    BTRACE_POINT(mach_absolute_time, kGroup, ClockRead),    BTRACE_POINT(mach_continuous_time, kGroup, ClockRead),
    BTRACE_POINT(clock_gettime_nsec_np, kGroup, ClockRead), BTRACE_POINT(clock_gettime, kGroup, ClockRead),
    BTRACE_POINT(gettimeofday, kGroup, ClockRead),
};

}  // namespace

void begin_clocks(const Session&) {}

Points clock_points() {
  return {kPoints, sizeof kPoints / sizeof kPoints[0]};
}

}  // namespace btrace::native
