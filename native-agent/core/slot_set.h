#pragma once
// A set of thread records, by slot. Any thread puts one in, also within a signal handler; one thread takes them out.
// Each slot has a bit of its own: one that is put in late, or of a record that is another thread's or emptied by then,
// holds up no other.
#include "core/thread_record.h"

namespace btrace {

class SlotSet {
 public:
  static constexpr u32 kSlots = ThreadRegistry::kMaxSlabs * ThreadRegistry::kSlabRecords;
  static constexpr u32 kNone = kSlots;

  void put(u32 slot) {
    // In this order: who takes clears the two the other way round.
    words_[slot / kBits].set_bits(bit(slot));
    some_[slot / kBits / kBits].set_bits(bit(slot / kBits));
  }
  // kNone when it is empty. It goes round, so that none waits for ever.
  u32 take() {
    // One group more than there are: the first one may have some before the place where it begins.
    for (u32 empty = 0; !bits_ && empty <= kGroups;) {
      const u32 group = next_ / kBits;
      const u64 some = some_[group].load() & ~u64{0} << next_ % kBits;
      if (!some) {
        next_ = (group + 1) % kGroups * kBits;
        empty++;
        continue;
      }
      word_ = group * kBits + static_cast<u32>(__builtin_ctzll(some));
      next_ = (word_ + 1) % (kGroups * kBits);
      some_[group].clear_bits(bit(word_));
      bits_ = words_[word_].exchange(0);
    }
    if (!bits_) return kNone;
    const u32 slot = word_ * kBits + static_cast<u32>(__builtin_ctzll(bits_));
    bits_ &= bits_ - 1;
    return slot;
  }
  bool is_empty() const {
    for (const Atomic<u64>& some : some_)
      if (some.load()) return false;
    return !bits_;
  }

 private:
  static constexpr u32 kBits = 64;
  static constexpr u32 kGroups = kSlots / kBits / kBits;
  static_assert(kGroups * kBits * kBits == kSlots);
  static u64 bit(u32 number) { return u64{1} << (number % kBits); }

  Atomic<u64> words_[kSlots / kBits];
  Atomic<u64> some_[kGroups];  // a bit of each word that may have one
  // Of who takes: where it goes on, and what is left of the word that it took last.
  u32 next_, word_;
  u64 bits_;
};

}  // namespace btrace
