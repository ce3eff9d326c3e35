// Other threads, from the agent's own: suspended by id, walked, resumed.
#include "rt/art/art.h"
#include "rt/art/points.h"
#include "rt/art/runnable.h"

namespace btrace::art {

namespace {

constexpr u32 kInternalReason = 0;

ArtThread* suspend_by_id(const Internals& art, u32 art_id, bool& timed_out) {
  if (art.variant(Need::SuspendByThreadId) == kSuspendForDebugger)
    return art.as<ArtThread*(u8*, u32, bool, bool*)>(Need::SuspendByThreadId)(art.thread_list, art_id, false,
                                                                              &timed_out);
  return art.as<ArtThread*(u8*, u32, u32, bool*)>(Need::SuspendByThreadId)(art.thread_list, art_id, kInternalReason,
                                                                           &timed_out);
}

}  // namespace

// In between the thread stands still and the walk is all that is done: first suspended, then the walker made Runnable.
// The other way round ART would wait for itself.
i32 Art::walk_outside(ThreadRecord& record, Frame* frames, u32 limit, u16& flags) {
  // While the runtime ends, the thread that waits for the agent is Runnable and would never be suspended.
  if (!walks_outside() || runtime_ends()) return 0;
  const u32 art_id = static_cast<u32>(reinterpret_cast<uintptr_t>(record.runtime_ref.load_acquire()));
  if (!art_id) return 0;
  bool timed_out = false;
  ArtThread* thread = suspend_by_id(internals, art_id, timed_out);
  if (!thread) return timed_out ? -1 : 0;
  i32 count = kNotWalked;
  auto walk = [&](ArtThread* self) { count = walk_stack(self, thread, frames, limit, flags); };
  run_as_runnable(internals.env(), walk);
  internals.as<bool(u8*, ArtThread*, u32)>(Need::Resume)(internals.thread_list, thread, kInternalReason);
  return count;
}

}  // namespace btrace::art
