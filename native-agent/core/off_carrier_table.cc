#include "core/off_carrier_table.h"

namespace btrace {

bool OffCarrierTable::init(u64 bytes) {
  u32 capacity = 1024;
  while (u64{capacity} * 2 * kWaitBytes <= bytes) capacity *= 2;
  ids_ = map_array<Atomic<u64>>(capacity);
  waits_ = map_array<Slot>(capacity);
  capacity_ = capacity;
  if (ids_ && waits_) return true;
  release();
  return false;
}

void OffCarrierTable::release() {
  unmap_array(ids_, capacity_);
  unmap_array(waits_, capacity_);
  capacity_ = 0;
}

// Its place; capacity_ when it has none. `free` is one that it could have.
u32 OffCarrierTable::find(u64 id, u32& free) const {
  free = capacity_;
  for (u32 probe = 0, at = home(id); probe < kProbes; probe++, at = (at + 1) & (capacity_ - 1)) {
    u64 there = ids_[at].load_acquire();
    if (there == id) return at;
    if (!there && free == capacity_) free = at;
  }
  return capacity_;
}

bool OffCarrierTable::put(u64 id, const OffCarrierWait& wait) {
  if (!id || !capacity_) return false;
  u32 free;
  u32 at = find(id, free);
  while (at == capacity_ && free != capacity_) {
    u64 nobody = 0;
    if (ids_[free].swap_if(nobody, id))
      at = free;
    else
      find(id, free);
  }
  if (at == capacity_) return false;
  Slot& slot = waits_[at];
  slot.stack.store_relaxed(wait.stack);
  slot.thread.store_relaxed(wait.thread);
  slot.begin_ns.store_release(wait.begin_ns);
  return true;
}

bool OffCarrierTable::take(u64 id, OffCarrierWait& wait) {
  if (!id || !capacity_) return false;
  u32 free;
  u32 at = find(id, free);
  if (at == capacity_) return false;
  Slot& slot = waits_[at];
  wait = {slot.begin_ns.load_relaxed(), slot.stack.load_relaxed(), slot.thread.load_relaxed()};
  slot.begin_ns.store_relaxed(0);
  ids_[at].store_release(0);
  return wait.begin_ns && wait.begin_ns >= restarted_ns_.load_relaxed();
}

void OffCarrierTable::restart(i64 now_ns) {
  if (restarted_ns_.load_relaxed()) miss();
  restarted_ns_.store_relaxed(now_ns);
  for (u32 at = 0; at < capacity_; at++) {
    if (!ids_[at].load_relaxed()) continue;
    waits_[at].begin_ns.store_relaxed(0);
    ids_[at].store_release(0);
  }
}

bool OffCarrierTable::next(u32& at, u64& id, OffCarrierWait& wait) const {
  for (; at < capacity_; at++) {
    id = ids_[at].load_acquire();
    if (!id) continue;
    const Slot& slot = waits_[at];
    wait = {slot.begin_ns.load_acquire(), slot.stack.load_relaxed(), slot.thread.load_relaxed()};
    // Not written yet, or gone on meanwhile.
    if (!wait.begin_ns || wait.begin_ns < restarted_ns_.load_relaxed() || ids_[at].load_acquire() != id) continue;
    at++;
    return true;
  }
  return false;
}

}  // namespace btrace
