#pragma once
// Points that last. Of a wait that another thread ends, the waiter says that it waits and the waker who it is, and the
// two become a link.
#include "core/links.h"
#include "core/session.h"

namespace btrace {

// Shorter waits are captured when the gate is open anyway, and who ends them is not captured.
inline constexpr i64 kShortestForcedWaitNs = kNsPerMs;
// Longer ones are captured whether it is open or not, where that costs no more of the wait's time than the budget has.
bool is_forced(const Session& session, const ThreadRecord& record, i64 duration_ns);
// Instead of a sample's time.
inline constexpr i64 kNotCaptured = INT64_MIN;

// Notes the wall and CPU time that a block begins at; its session is 0 when nothing is recorded.
Blocked begin_block();

// A wait that was not captured, and one that is: the flag for its row where most of the time since the one captured
// before it went into such. Without it nobody knows what the thread did between the two.
void leave_out_wait(ThreadRecord& record, i64 duration_ns);
u16 waited_before(ThreadRecord& record, i64 begin_ns, i64 end_ns);

// Before and after a block that will give a row: what it is, for who looks while it lasts.
void announce_block(ThreadRecord& record, SampleKind kind, const Blocked& block);
void withdraw_block(ThreadRecord& record);
// On any thread: what another one has announced, all of it or nothing. False when it is in no block.
bool read_block(const ThreadRecord& record, SampleKind& kind, Blocked& block);

// The same of a wait that another thread may end, who looks for those that wait for `object`.
void announce_wait(ThreadRecord& record, u64 object, SampleKind kind, const Blocked& block);
void withdraw_wait(ThreadRecord& record);
// Links the wait that just ended with the waker that said so, if one did.
void link_to_waker(ThreadRecord& record, const Blocked& block, i64 sample_time_ns, LinkCertainty certainty);
// What the waker calls before it lets go: true if the thread waits, for `object` when one is given, long enough to
// matter.
bool worth_waking(const ThreadRecord& record, u64 object, i64 now);
// The same, however short the wait is. On a busy machine it may last long after it was ended: it wants to know by whom.
bool wants_waker(const ThreadRecord& record, u64 object);
void tell_waker(ThreadRecord& waiter, u32 waker, i64 waker_time_ns);

}  // namespace btrace
