#pragma once
// Sampled allocations that have not been freed: what a program still holds, and where it was allocated. Of fixed size
// and lock-free. An address is put in by the thread that got it and taken out by the one that frees it, which the
// program itself keeps apart.
//
// Room: 48 bytes an allocation. One lies in one of kProbes places from its home on. `may_hold` costs one load: nearly
// all that is freed was not sampled.
#include "base/atomic.h"
#include "base/types.h"

namespace btrace {

struct HeldAllocation {
  u64 bytes;    // that this one stands for
  i64 time_ns;  // since the session's origin
  u32 session;
  u32 stack;   // 0: not known
  u32 thread;  // index
};

class HeldTable {
 public:
  // False: it is not in here.
  bool may_hold(const void* address) const { return filter_[filter_of(address)].load_relaxed() != 0; }
  // False when there is no room.
  bool put(const void* address, const HeldAllocation& held);
  // False when it is not there.
  bool take(const void* address, HeldAllocation& held);
  // The next one from `at` on, which is moved behind it; false when there is none. Others may go on meanwhile.
  bool next(u32& at, HeldAllocation& held) const;
  // The place where an address is looked for first.
  static u32 home(const void* address) { return static_cast<u32>(hash(address) >> 48); }
  // Forgets all that is there; what is put in meanwhile may stay.
  void clear();

 private:
  static constexpr u32 kPlaces = 65536, kProbes = 16, kFilter = 16384;
  // No address that a program gets. Busy: one thread writes the place, or reads it to free it.
  static constexpr u64 kFree = 0, kBusy = 1;
  struct Place {
    Atomic<u64> address;  // or one of the two above
    Atomic<u64> bytes;
    Atomic<i64> time_ns;
    Atomic<u32> session, stack, thread;
  };
  static HeldAllocation read(const Place& place);

  static u64 hash(const void* address) {
    return (reinterpret_cast<uintptr_t>(address) >> 4) * 0x9E3779B97F4A7C15ull;
  }
  static u32 filter_of(const void* address) { return static_cast<u32>(hash(address) >> 50); }
  static_assert(kFilter == 1u << (64 - 50) && kPlaces == 1u << (64 - 48));

  Place places_[kPlaces];
  Atomic<u16> filter_[kFilter];  // how many of those in the table have this hash
};

}  // namespace btrace
