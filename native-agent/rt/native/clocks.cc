// Clock reads: many programs read a clock between two pieces of their work, so these are frequent points.
#include "base/syscall.h"
#include "core/capture.h"
#include "core/kernel_counters.h"
#include "rt/native/native.h"

// On Apple's systems: rt/darwin/clocks.cc.
#if !defined(__APPLE__)

namespace btrace::native {

namespace {

using Time = sys::Timespec;
struct TimeOfDay {
  long seconds, microseconds;
};

struct Originals {
  int (*clock_gettime)(int, Time*);
  int (*gettimeofday)(TimeOfDay*, void*);
};
Originals original;

// The time that was read tells when to ask the gate again: its own counter costs more to read than all else here. Time
// is cut into stretches of this power of two of ns, half of the interval at points; 0: there is no interval.
constexpr u32 kMostShift = 19;
Atomic<u32> g_shift;

[[gnu::tls_model("initial-exec")]] thread_local constinit u64 t_stretch = 0;
bool is_new_stretch(u64 ns) {
  const u32 shift = g_shift.load_relaxed();
  const u64 stretch = ns >> shift;
  if (__builtin_expect(stretch == t_stretch && shift, 1)) return false;
  t_stretch = stretch;
  return true;
}

[[gnu::noinline]] void capture_read(const Registers& from) {
  if (!active_session_id()) return;
  ThreadRecord* record = g_threads.current_record();
  Capture capture;
  if (!record || !read_is_due(*record) || !capture.begin(own_record(), SampleKind::ClockRead, false)) return;
  // Without what the thread has allocated: that counts with the allocation that takes its stack.
  read_kernel_counters(capture.row(), capture.record());
  capture.commit(walk_from(capture, from));
}

#define BTRACE_CLOCK_READ(ns) \
  if (is_new_stretch(ns)) capture_read(BTRACE_CALLER())

int hook_clock_gettime(int clock, Time* time) {
  const int result = original.clock_gettime(clock, time);
  if (!result) BTRACE_CLOCK_READ(static_cast<u64>(time->seconds * kNsPerSecond + time->nanoseconds));
  return result;
}

int hook_gettimeofday(TimeOfDay* time, void* zone) {
  const int result = original.gettimeofday(time, zone);
  if (!result && time)
    BTRACE_CLOCK_READ(static_cast<u64>(time->seconds * kNsPerSecond + time->microseconds * kNsPerUs));
  return result;
}

constexpr const char* kGroup = "clock reads";
const Point kPoints[] = {
    BTRACE_POINT(clock_gettime, kGroup, ClockRead),
    BTRACE_POINT(gettimeofday, kGroup, ClockRead),
};

}  // namespace

void begin_clocks(const Session& session) {
  u32 shift = 0;
  while (shift < kMostShift && i64{2} << shift < session.config.sync_interval_ns) shift++;
  g_shift.store_relaxed(shift);
}

Points clock_points() {
  return {kPoints, sizeof kPoints / sizeof kPoints[0]};
}

}  // namespace btrace::native

#endif
