#pragma once
// What a watched thread says of the messages that it handles, for the lag watch to read. It is written by the thread
// itself, in some ns; a thread that is not watched has none.
#include "base/atomic.h"

namespace btrace {

class LoopLog {
 public:
  // What the watch may miss at most: waits of one look, at one each kLeastWaitNs.
  static constexpr u32 kEntries = 256;
  // Shorter waits are no sign that a thread had nothing to do.
  static constexpr i64 kLeastWaitNs = 5 * kNsPerMs;
  // An entry's stack if it is a message, and not a wait.
  static constexpr u32 kMessage = ~0u;
  // An entry's stack if the thread was not walked at the wait's end.
  static constexpr u32 kNotWalked = 0;

  struct Entry {
    i64 begin_ns, end_ns;
    u32 stack;  // where the thread waited, or one of the above
  };

  // On the watched thread: a wait ended, whatever it was for.
  void waited(i64 begin_ns, i64 end_ns, u32 stack) { put({begin_ns, end_ns, stack}); }
  // On the watched thread, where the runtime sees its loop: it begins to wait for a message, and has one.
  void loop_waits(i64 now) {
    const i64 since_ns = message_since_ns_.load_relaxed();
    message_since_ns_.store_release(0);
    if (since_ns && now - since_ns >= least_message_ns_.load_relaxed()) put({since_ns, now, kMessage});
  }
  void loop_handles(i64 now) {
    message_since_ns_.store_release(now);
    is_exact_.store_relaxed(1);
  }

  // On the watch's thread. begin() is called before any record points here.
  void begin(i64 least_message_ns) {
    read_ = written_.load_acquire();
    message_since_ns_.store_relaxed(0);
    is_exact_.store_relaxed(0);
    least_message_ns_.store_relaxed(least_message_ns);
  }
  bool next(Entry& entry);
  // Whether the runtime sees the loop: then waits say nothing of messages.
  bool is_exact() const { return is_exact_.load_relaxed(); }
  i64 message_since_ns() const { return message_since_ns_.load_acquire(); }  // 0: it waits

 private:
  void put(const Entry& entry) {
    const u32 number = written_.load_relaxed();
    Slot& slot = slots_[number % kEntries];
    slot.begin_ns.store_relaxed(entry.begin_ns);
    slot.end_ns.store_relaxed(entry.end_ns);
    slot.stack.store_relaxed(entry.stack);
    written_.store_release(number + 1);
  }

  struct Slot {
    Atomic<i64> begin_ns, end_ns;
    Atomic<u32> stack;
  };
  Slot slots_[kEntries];
  Atomic<u32> written_;
  u32 read_;
  Atomic<i64> message_since_ns_;
  Atomic<u32> is_exact_;
  Atomic<i64> least_message_ns_;
};

inline bool LoopLog::next(Entry& entry) {
  for (;;) {
    const u32 written = written_.load_acquire();
    if (read_ == written) return false;
    // The thread may be writing the slot of the oldest one just now.
    if (written - read_ >= kEntries) read_ = written - kEntries + 1;
    const Slot& slot = slots_[read_ % kEntries];
    entry = {slot.begin_ns.load_relaxed(), slot.end_ns.load_relaxed(), slot.stack.load_relaxed()};
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    const bool is_whole = written_.load_relaxed() - read_ < kEntries;
    read_++;
    if (is_whole) return true;
  }
}

}  // namespace btrace
