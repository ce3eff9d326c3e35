// Allocations: each is counted, and one in so many bytes takes its stack. Those are remembered until they are freed.
// Nothing is done before the C library has returned, so that its locks are free.
#include "base/clock.h"
#include "base/tick.h"
#include "rt/native/native.h"

namespace btrace::native {

namespace {

struct Originals {
  void* (*malloc)(size_t bytes);
  void* (*calloc)(size_t count, size_t bytes);
  void* (*realloc)(void* at, size_t bytes);
  void* (*reallocarray)(void* at, size_t count, size_t bytes);
  void* (*aligned_alloc)(size_t alignment, size_t bytes);
  void* (*memalign)(size_t alignment, size_t bytes);
  int (*posix_memalign)(void** at, size_t alignment, size_t bytes);
  void (*free)(void* at);
};
Originals original;

// Where none is asked for.
constexpr u64 kUsualIntervalBytes = 512 * 1024;
constexpr u64 kMostIntervalBytes = u64{1} << 32;
Atomic<u64> g_interval_bytes;

#if defined(__APPLE__)
// There, the first use of a thread-local word allocates.
AllocationCount* count_here() {
  ThreadRecord* record = g_threads.current_record();
  return record ? &record->own.allocated : nullptr;
}
#else
// The library is there from the program's start: its thread-local words have a fixed place.
[[gnu::tls_model("initial-exec")]] thread_local constinit AllocationCount t_count{};
AllocationCount* count_here() {
  return &t_count;
}
#endif

// Of the program's, by address. Never given back: a thread may be in a function of ours when a recording ends.
HeldTable g_held;

// Evenly from 0 up to `limit`.
u64 random_below(AllocationCount& count, u64 limit) {
  count.random = count.random * 1664525u + 1013904223u;
  // In two steps, because the product of the two may have more than 64 bits.
  return (limit >> 32) * count.random + ((limit & 0xFFFFFFFF) * count.random >> 32);
}

// How many bytes a sampled allocation stands for, so that their sum is right on average. Stacks are taken at points on
// the line of all bytes, whose distances are spread evenly from half the mean to one and a half: `bytes` over the
// chance that one of them lies in so many bytes.
u64 bytes_told_by(u64 bytes, u64 mean) {
  if (bytes <= mean / 2) return mean;
  if (bytes >= mean + mean / 2) return bytes;
  constexpr u64 kUnit = 1024;
  const u64 part = bytes / max_of<u64>(mean / kUnit, 1);  // from 512 to 1536
  const u64 chance = 1536 * part - part * part / 2 - kUnit * kUnit / 8;
  return bytes * kUnit * kUnit / max_of<u64>(chance, 1);
}

// Draws when the next stack is taken. False: not now, as nothing was drawn before.
bool draw_next(AllocationCount& count, u64 mean) {
  if (!count.random) {
    const u64 seed = tick_now() ^ (reinterpret_cast<uintptr_t>(&count) >> 4);
    count.random = static_cast<u32>(seed * 0x9E3779B97F4A7C15ull >> 32) | 1;
    count.left += static_cast<i64>(random_below(count, mean));
    count.mean_left = mean;
    if (count.left >= 0) return false;
  }
  // Of what is far larger, where within it the last point lay does not matter.
  if (-count.left > static_cast<i64>(4 * mean)) count.left = 0;
  do {
    // Around the mean by chance: what allocates in step with it is seen as often as all else.
    count.left += static_cast<i64>(mean / 2 + random_below(count, mean));
  } while (count.left < 0);
  return true;
}

constexpr i64 kMostOwedNs = 10 * kNsPerMs;
constexpr u32 kMostWidened = 16;

// Within the budget by taking fewer stacks, each of which stands for more bytes.
void pay(AllocationCount& count, const Session& session, u64 tick, i64 took_ns) {
  const u64 budget = session.config.budget_ppm;
  if (!budget) return;
  if (count.paid_tick <= tick && count.widened) count.widened--;
  count.paid_tick =
      max_of(count.paid_tick, tick) + ns_to_ticks(static_cast<i64>(static_cast<u64>(took_ns) * 1000000 / budget));
  if (count.paid_tick > tick + ns_to_ticks(kMostOwedNs) && count.widened < kMostWidened) count.widened++;
}

[[gnu::noinline]] void sample(AllocationCount& count, const void* at, u64 bytes, const Registers& from) {
  const u64 mean = max_of<u64>(g_interval_bytes.load_relaxed(), 2) << count.widened;
  const u64 told = count.mean_left;
  if (!draw_next(count, mean)) return;
  const u64 drawn_mean = told ? told : mean;
  count.mean_left = mean;
  ThreadRecord* record = active_session_id() ? own_record() : nullptr;
  if (!record) return;
  const i64 begin_ns = now_ns();
  const u64 tick = tick_now();
  HeldAllocation held{bytes_told_by(bytes, drawn_mean), 0, 0, 0, 0};
  const auto note = [&](HeldRecord& capture, u32 stack) {
    held.stack = stack;
    held.session = capture.session().id;
    held.thread = record->index.load_relaxed();
    held.time_ns = capture.session().since_origin(begin_ns);
    if (!g_held.put(at, held)) record->held.lost[static_cast<u32>(LossReason::BufferFull)].add_relaxed(1);
    pay(count, capture.session(), tick, now_ns() - begin_ns);
  };
  Capture capture;
  if (capture.begin(record, SampleKind::Malloc, false)) {
    read_counters(capture.row(), capture.record());
    const u32 stack = capture.node_of(walk_from(capture, from));
    note(capture, stack);
    capture.commit_node(stack);
    return;
  }
  // Too early for a sample of the thread; but what is held has its stack.
  SideCapture aside;
  if (!aside.begin(record, SampleKind::Malloc)) return;
  if (!aside.take_frames()) return aside.lose(LossReason::BufferFull);
  note(aside, aside.node_of(walk_from(aside, from)));
  aside.charge_walk(begin_ns);
}

// Before the C library may give the address to another thread.
void forget(const void* at) {
  HeldAllocation held;
  if (g_held.may_hold(at)) g_held.take(at, held);
}

#define BTRACE_COUNT(at, size)                                               \
  do {                                                                       \
    AllocationCount* counted = count_here();                                 \
    if (!counted) break;                                                     \
    counted->count++;                                                        \
    counted->bytes += (size);                                                \
    counted->left -= static_cast<i64>(size);                                 \
    if (__builtin_expect(counted->left < 0, 0)) sample(*counted, at, size, BTRACE_CALLER()); \
  } while (0)

void* hook_malloc(size_t bytes) {
  void* at = original.malloc(bytes);
  if (at) BTRACE_COUNT(at, bytes);
  return at;
}

void* hook_calloc(size_t count, size_t bytes) {
  void* at = original.calloc(count, bytes);
  if (at) BTRACE_COUNT(at, count * bytes);
  return at;
}

// `grow` gives `before` a new size. What it was before is not held any more, unless that fails.
template <class Grow>
[[gnu::always_inline]] inline void* grown(void* before, bool is_freed_if_null, const Grow& grow) {
  HeldAllocation held;
  const bool was_held = g_held.may_hold(before) && g_held.take(before, held);
  void* at = grow();
  if (was_held && !at && !is_freed_if_null) g_held.put(before, held);
  return at;
}

void* hook_realloc(void* before, size_t bytes) {
  void* at = grown(before, !bytes, [&] { return original.realloc(before, bytes); });
  if (at) BTRACE_COUNT(at, bytes);
  return at;
}

void* hook_reallocarray(void* before, size_t count, size_t bytes) {
  void* at = grown(before, !count || !bytes, [&] { return original.reallocarray(before, count, bytes); });
  if (at) BTRACE_COUNT(at, count * bytes);
  return at;
}

void* hook_aligned_alloc(size_t alignment, size_t bytes) {
  void* at = original.aligned_alloc(alignment, bytes);
  if (at) BTRACE_COUNT(at, bytes);
  return at;
}

void* hook_memalign(size_t alignment, size_t bytes) {
  void* at = original.memalign(alignment, bytes);
  if (at) BTRACE_COUNT(at, bytes);
  return at;
}

int hook_posix_memalign(void** at, size_t alignment, size_t bytes) {
  const int error = original.posix_memalign(at, alignment, bytes);
  if (!error) BTRACE_COUNT(*at, bytes);
  return error;
}

void hook_free(void* at) {
  forget(at);
  original.free(at);
}

constexpr const char* kGroup = "memory";
// What frees comes before what allocates: none is put in whose end nobody would see.
const Point kPoints[] = {
    BTRACE_POINT(free, kGroup, Malloc),
    BTRACE_POINT(malloc, kGroup, Malloc),        BTRACE_POINT(calloc, kGroup, Malloc),
    BTRACE_POINT(realloc, kGroup, Malloc),       BTRACE_POINT(aligned_alloc, kGroup, Malloc),
    BTRACE_POINT(memalign, kGroup, Malloc),      BTRACE_POINT(posix_memalign, kGroup, Malloc),
    BTRACE_POINT(reallocarray, kGroup, Malloc),
};

}  // namespace

Points allocation_points() {
  return {kPoints, sizeof kPoints / sizeof kPoints[0]};
}

void begin_allocations(const Session& session) {
  const u64 asked = session.config.allocation_interval_bytes;
  g_interval_bytes.store(asked ? min_of(asked, kMostIntervalBytes) : kUsualIntervalBytes);
  g_held.clear();
}

bool Native::next_held(u32& at, HeldAllocation& held) {
  return g_held.next(at, held);
}

Allocated allocated_here() {
  const AllocationCount* counted = count_here();
  return counted ? Allocated{counted->count, counted->bytes} : Allocated{};
}

}  // namespace btrace::native
