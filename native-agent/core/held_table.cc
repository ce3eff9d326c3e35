#include "core/held_table.h"

namespace btrace {

bool HeldTable::put(const void* address, const HeldAllocation& held) {
  // The same address is there already if the program freed it where nobody saw it.
  HeldAllocation before;
  if (may_hold(address)) take(address, before);
  const u64 key = reinterpret_cast<uintptr_t>(address);
  for (u32 probe = 0, at = home(address); probe < kProbes; probe++, at = (at + 1) % kPlaces) {
    Place& place = places_[at];
    u64 free = kFree;
    if (place.address.load_relaxed() != kFree || !place.address.swap_if(free, kBusy)) continue;
    filter_[filter_of(address)].add(1);
    place.bytes.store_relaxed(held.bytes);
    place.time_ns.store_relaxed(held.time_ns);
    place.session.store_relaxed(held.session);
    place.stack.store_relaxed(held.stack);
    place.thread.store_relaxed(held.thread);
    place.address.store_release(key);
    return true;
  }
  return false;
}

bool HeldTable::take(const void* address, HeldAllocation& held) {
  const u64 key = reinterpret_cast<uintptr_t>(address);
  // Programs free null pointers; their number marks the places that are free.
  if (key <= kBusy) return false;
  for (u32 probe = 0, at = home(address); probe < kProbes; probe++, at = (at + 1) % kPlaces) {
    Place& place = places_[at];
    u64 there = key;
    if (place.address.load_relaxed() != key) continue;
    // Whoever clears the table may take it at the same time: one of the two gets it.
    if (!place.address.swap_if(there, kBusy)) return false;
    held = read(place);
    filter_[filter_of(address)].subtract(1);
    place.address.store_release(kFree);
    return true;
  }
  return false;
}

HeldAllocation HeldTable::read(const Place& place) {
  return {place.bytes.load_acquire(), place.time_ns.load_acquire(), place.session.load_acquire(),
          place.stack.load_acquire(), place.thread.load_acquire()};
}

bool HeldTable::next(u32& at, HeldAllocation& held) const {
  for (; at < kPlaces; at++) {
    const Place& place = places_[at];
    const u64 key = place.address.load_acquire();
    if (key <= kBusy) continue;
    held = read(place);
    // Freed meanwhile, so another one may have been written there.
    if (place.address.load_acquire() != key) continue;
    at++;
    return true;
  }
  return false;
}

void HeldTable::clear() {
  for (Place& place : places_) {
    const u64 key = place.address.load_relaxed();
    HeldAllocation held;
    if (key > kBusy) take(reinterpret_cast<const void*>(static_cast<uintptr_t>(key)), held);
  }
}

}  // namespace btrace
