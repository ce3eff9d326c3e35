#pragma once
// Who has left its thread and waits, and since when: a virtual thread off its carrier. Of fixed size and lock-free;
// each id is put in and taken out by one thread at a time, the one that it runs on.
//
// Room: 24 bytes a wait. An id lies in one of the kProbes places from its home on, so that nothing needs to be moved
// when one goes, and looking for one costs two cache lines.
#include "base/atomic.h"
#include "base/pages.h"
#include "base/types.h"

namespace btrace {

struct OffCarrierWait {
  i64 begin_ns;  // monotonic
  u32 stack;     // 0: not known
  u32 thread;    // index of the one it left
};

class OffCarrierTable {
 public:
  // At most so many bytes. False when the kernel gives no memory.
  bool init(u64 bytes);
  void release();
  bool ready() const { return capacity_ != 0; }
  // False when there is no room.
  bool put(u64 id, const OffCarrierWait& wait);
  // False when it is not there, or was put in before the last `restart`.
  bool take(u64 id, OffCarrierWait& wait);
  // Waits are seen from `now_ns` on. What is there means nothing any more: some of those were not seen to go on.
  void restart(i64 now_ns);
  // One was not put in.
  void miss() { missed_.store_relaxed(1); }
  // Whoever was there when waits were first seen and is not in here did not leave its thread since.
  bool complete() const { return !missed_.load_relaxed(); }
  i64 restarted_ns() const { return restarted_ns_.load_relaxed(); }
  // The next wait from `at` on, which is moved behind it; false when there is none. Others may go on meanwhile.
  bool next(u32& at, u64& id, OffCarrierWait& wait) const;
  u64 bytes() const { return u64{capacity_} * kWaitBytes; }

 private:
  static constexpr u32 kProbes = 16;
  struct Slot {
    Atomic<i64> begin_ns;  // 0: not written yet
    Atomic<u32> stack;
    Atomic<u32> thread;
  };
  static constexpr u64 kWaitBytes = sizeof(u64) + sizeof(Slot);

  u32 home(u64 id) const { return static_cast<u32>((id * 0x9E3779B97F4A7C15ull) >> 32) & (capacity_ - 1) & ~7u; }
  u32 find(u64 id, u32& free) const;

  Atomic<u64>* ids_ = nullptr;
  Slot* waits_ = nullptr;
  u32 capacity_ = 0;
  Atomic<i64> restarted_ns_;
  Atomic<u32> missed_;
};

}  // namespace btrace
