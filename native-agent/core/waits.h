#pragma once
// Waits of threads. The waiter publishes its wait, the waker records itself in the waiter's record, and the waiter
// makes a link of the two when it goes on.
#include "core/links.h"
#include "core/runtime.h"
#include "core/session.h"

namespace btrace {

// True for waits of Session::shortest_wait_ns() and more that cost no more than the budget's share of their time: they
// are captured even if the gate is closed.
bool is_forced(const Session& session, const ThreadRecord& record, i64 duration_ns);
// Stands for a sample's time where no sample was made.
inline constexpr i64 kNotCaptured = INT64_MIN;

// Reads the wall and CPU time that the wait begins at. Its session is 0 when nothing is recorded.
Wait begin_wait();

// leave_out_wait counts a wait that is not captured. waited_before returns kFlagWaitedBefore for a captured wait if
// uncaptured ones fill over half the time since the last captured one, else 0.
void leave_out_wait(ThreadRecord& record, i64 duration_ns);
u16 waited_before(ThreadRecord& record, i64 begin_ns, i64 end_ns);

// The CPU clock at the wait's begin. If it was not read there, it is estimated from the clock at the end, `end_cpu_ns`:
// CPU time since the last row was used before the wait, as far as the time before the wait has room for it.
i64 cpu_at_begin(const Session& session, const ThreadRecord& record, const Wait& wait, i64 end_cpu_ns);

// Publishes a wait while it lasts, so that other threads can read it. Only for waits that will make a row.
void publish_wait(ThreadRecord& record, SampleKind kind, const Wait& wait);
void withdraw_wait(ThreadRecord& record);
// Called on any thread: reads what another one has published, all of it or nothing. False if it is in no wait.
bool read_published_wait(const ThreadRecord& record, SampleKind& kind, Wait& wait);

// Like publish_wait; also publishes `object` so that the waking thread can find this wait.
void publish_wait_for(ThreadRecord& record, u64 object, SampleKind kind, const Wait& wait);
void withdraw_wait_for(ThreadRecord& record);
// Links the wait that just ended with the waker that recorded itself, if one did.
void link_to_waker(ThreadRecord& record, const Wait& wait, i64 sample_time_ns, LinkCertainty certainty);
// The waker asks this before it lets the thread go on: true if the thread has waited for `object` long enough that the
// wake-up should be captured with a stack.
bool should_capture_wakeup(const ThreadRecord& record, u64 object, i64 now);
// True if the thread waits for `object` and has no waker yet. On a busy machine a wait may last long after its wake-up,
// so the waker of a short wait is recorded, too.
bool is_waiting_for(const ThreadRecord& record, u64 object);
// Written by the waker, before it lets the waiter go on.
void record_waker(ThreadRecord& waiter, u32 waker, i64 waker_time_ns);

// Where a sampler of this session saw a thread stand.
struct Stood {
  u32 stack = 0;  // 0: nobody knows
  i64 at_ns = 0;
  i64 cpu_ns = 0;
  WalkNotes notes;
};
Stood where_it_stood(const Session& session, const ThreadRecord& record);

}  // namespace btrace
