#pragma once
// Stacks that were walked, by a number that tells them apart (a runtime makes it of what lies in memory where the
// thread stands): who stands there again need not be walked. Lock-free, of fixed size; a new stack takes an old one's
// place.
#include "base/atomic.h"
#include "base/pages.h"

namespace btrace {

class KnownStacks {
 public:
  // False when the kernel gives no memory.
  bool init() { return (slots_ = map_array<Slot>(kSlots)) != nullptr; }
  void release() { unmap_array(slots_, kSlots); }

  // The stack's node, 0 when it is not known. `key` is never 0.
  u32 find(u64 key) const {
    const Slot& slot = slots_[key % kSlots];
    u64 node = slot.node.load_acquire();
    return node && slot.check.load_relaxed() == (key ^ mixed(node)) ? static_cast<u32>(node) : 0;
  }
  // Two threads may write at once: halves of both belong to no key. Whoever finds the node may send it: what it says is
  // published with it.
  void keep(u64 key, u32 node) {
    Slot& slot = slots_[key % kSlots];
    slot.check.store_relaxed(key ^ mixed(node));
    slot.node.store_release(node);
  }

  // Some that are known are walked all the same. One that turned out to be another ends it for this session.
  static bool should_check(i64 now_ns) { return now_ns % 64 == 0; }
  void distrust() { distrusted_.store_relaxed(1); }
  bool trusted() const { return !distrusted_.load_relaxed(); }

  void count_known() { known_.add_relaxed(1); }
  void count_walked() { walked_.add_relaxed(1); }
  u32 known() const { return known_.load_relaxed(); }
  u32 walked() const { return walked_.load_relaxed(); }

  static constexpr u32 kSlots = 8192;
  static constexpr size_t kBytes = kSlots * 2 * sizeof(u64);

 private:
  struct Slot {
    Atomic<u64> check;
    Atomic<u64> node;
  };
  static u64 mixed(u64 node) { return node * 0x9E3779B97F4A7C15ull; }

  Slot* slots_;
  Atomic<u32> distrusted_;
  Atomic<u32> known_;
  Atomic<u32> walked_;
};

}  // namespace btrace
