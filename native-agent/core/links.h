#pragma once
// Waits and who ended them, on their way to the drain: a bounded ring, many writers, one reader. A full ring refuses.
#include "base/atomic.h"
#include "core/format.h"

namespace btrace {

struct Link {
  u32 waiter;
  u32 waker;
  i64 waiter_time_ns;  // begin of the wait sample
  i64 waker_time_ns;   // of the releasing sample
  LinkCertainty certainty;
  u32 session;
};

class LinkRing {
 public:
  static constexpr u32 kLinks = 4096;

  bool push(const Link& link) {
    u32 at = written_.load_relaxed();
    do
      if (at - read_.load_acquire() >= kLinks) return false;
    while (!written_.swap_if(at, at + 1));
    Slot& slot = slots_[at % kLinks];
    slot.link = link;
    slot.turn.store_release(at + 1);
    return true;
  }
  // False when there is none, or the next one is still being written.
  bool pop(Link& link) {
    u32 at = read_.load_relaxed();
    Slot& slot = slots_[at % kLinks];
    if (slot.turn.load_acquire() != at + 1) return false;
    link = slot.link;
    read_.store_release(at + 1);
    return true;
  }
  // Of a session that is over.
  void clear() {
    Link link;
    while (pop(link)) continue;
  }

 private:
  struct Slot {
    Link link;
    Atomic<u32> turn;
  };
  Atomic<u32> written_;
  Atomic<u32> read_;
  Slot slots_[kLinks];
};

// A thread puts one in when it holds its record no more, and may come too late: so the ring is there for as long as the
// process, as records are, and each link says whose it is.
extern LinkRing g_links;

}  // namespace btrace
