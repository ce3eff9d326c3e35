#pragma once
// One recording being made, as the capturing side sees it. There is at most one in a process.
#include "core/config.h"
#include "core/known_stacks.h"
#include "core/links.h"
#include "core/off_carrier_table.h"
#include "core/thread_record.h"
#include "os/images.h"
#include "os/native_stack.h"

namespace btrace {

// Room for one walk. Frames beyond kFrames are cut in the middle by the walker, which says so.
struct WalkBuffer {
  static constexpr u32 kFrames = 4096;
  Atomic<u32> taken;
  Frame frames[kFrames];
};

struct CostHistogram {
  static constexpr u32 kBuckets = 32;
  Atomic<u64> total_ns;
  Atomic<u64> buckets[kBuckets];
  u64 count() const {
    u64 sum = 0;
    for (const Atomic<u64>& bucket : buckets) sum += bucket.load_relaxed();
    return sum;
  }
};

struct HookReport {
  const char* name;
  HookState state;
  const char* why;  // static text
};

struct Session {
  static constexpr u32 kWalkBuffers = 16;
  static constexpr u32 kMaxHooks = 48;

  u32 id;  // counts up over the process's life
  Config config;
  i64 origin_ns;
  i64 origin_boottime_ns;
  i64 origin_realtime_ns;

  SegmentPool pool;
  StackTables stacks;
  KnownStacks known;
  Images images;
  NativeStacks natives;
  WalkBuffer* walk_buffers;
  Atomic<u64> links_lost;
  OffCarrierTable off_carrier_waits;      // of virtual threads, where there are any
  Atomic<u64> first_new_id;  // of threads that are made from here on, as the program counts them

  Atomic<u32> thread_count;  // indexes given out
  Atomic<u32> full;          // policy stop-when-full: nothing is taken any more
  Atomic<u32> has_timers;    // running threads are interrupted by their CPU clocks
  static constexpr u32 kUnstretched = 16;
  static constexpr u32 kMostTimerStretch = 8;
  static constexpr i64 kShortestWaitNs = kNsPerMs;
  // To stay within the budget (core/pace.h), in sixteenths: of the interval at points, of how long a wait must be to be
  // told, of what the agent's own threads do by the clock, and of the CPU time between two interrupts.
  Atomic<u32> stretch;
  Atomic<u32> waits_stretch;
  Atomic<u32> agent_stretch;
  Atomic<u32> interrupts_stretch;
  Atomic<u64> forced_ns;    // of all captures' cost, that of the forced ones
  Atomic<u64> forced;       // how many these are
  Atomic<u64> by_agent_ns;  // of what other-thread walks cost, what the agent's own threads spent
  Atomic<u64> events_ns;    // an estimate of what the runtime spent on events that were not captured
  Atomic<u64> stopped_ns;   // for which the runtime stopped all threads as hooks went in and out, at most
  Atomic<u32> tells_stops;  // 1: `stopped_ns` was measured, also where it is 0
  Atomic<u64> repeats;      // samples of the external sampler that needed no walk; all others are counted in `costs`
  CostHistogram costs[kSampleKinds];

  u32 hook_count;
  HookReport hooks[kMaxHooks];
  Atomic<u32> hooks_changed;

  i64 stretched(i64 interval_ns) const { return interval_ns * stretch.load_relaxed() / kUnstretched; }
  // The interval of what the agent's own threads do by the clock.
  i64 agent_stretched(i64 interval_ns) const { return interval_ns * agent_stretch.load_relaxed() / kUnstretched; }
  // Of interrupts, a power of two: each stands for so many of the configured intervals.
  u32 timer_stretch() const {
    u32 by = 1;
    while (by < kMostTimerStretch && interrupts_stretch.load_relaxed() >= by * 2 * kUnstretched) by *= 2;
    return by;
  }
  // Waits that are shorter are captured only when the gate is open anyway, and who ends them is not captured.
  i64 shortest_wait_ns() const { return kShortestWaitNs * waits_stretch.load_relaxed() / kUnstretched; }
  // Between two captures of a thread, as the budget has it now.
  i64 interval_ns() const {
    constexpr i64 kShortest = 50 * kNsPerUs;  // where none at all was asked for
    bool wide = stretch.load_relaxed() > kUnstretched;
    return stretched(wide ? max_of(config.sync_interval_ns, kShortest) : config.sync_interval_ns);
  }
  // Room may not last until the drain comes.
  bool fills_up() const { return pool.in_use() > pool.total() / 2 || stacks.nearly_full(); }
  i64 since_origin(i64 monotonic_ns) const { return monotonic_ns - origin_ns; }
  const HookReport* hook(const char* name) const;  // nullptr when it was never reported
  HookState hook_state(const char* name) const {
    const HookReport* reported = hook(name);
    return reported ? reported->state : HookState::Missing;
  }
  void report_hook(const char* name, HookState state, const char* why = nullptr);
};

// The session that captures go to; nullptr when there is none, and in a child of fork.
Session* active_session();
// Lets a thread of the agent's read the active session's memory: it is not given back while one of these lives.
class SessionReader {
 public:
  SessionReader();
  ~SessionReader();
  SessionReader(const SessionReader&) = delete;
  SessionReader& operator=(const SessionReader&) = delete;
  Session* session() const { return session_; }  // nullptr: there is none

 private:
  Session* session_;
};
// Its id, 0 when there is none: what the gate asks, without touching the session itself.
u32 active_session_id();

// Prepares the one session: memory in the bounds of `config`, clocks read together. nullptr when memory is not there.
Session* open_session(const Config& config);
// From here captures come in.
void activate_session(Session& session);
// Captures stop; returns when the last one has left. Samples stay for the drain.
void deactivate_session();
// From open to close: records of threads that end wait for the drain.
bool session_is_open();
// Gives the memory back.
void close_session(Session& session);

// Bytes the agent holds now: of what grows with a recording the pages touched, not address space; walk buffers, links
// and open waits in full.
u64 held_bytes(const Session& session);

}  // namespace btrace
