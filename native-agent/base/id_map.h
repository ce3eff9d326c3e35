#pragma once
// A growing map from 64-bit keys to 32-bit values for the agent's own threads. Key 0 is not allowed.
#include "base/pages.h"
#include "base/types.h"

namespace btrace {

class IdMap {
 public:
  // The value's place; nullptr when the key is not there.
  u32* find(u64 key) {
    if (!capacity_) return nullptr;
    for (u32 at = home(key);; at = (at + 1) & (capacity_ - 1)) {
      if (entries_[at].key == key) return &entries_[at].value;
      if (!entries_[at].key) return nullptr;
    }
  }
  // False when there is no memory.
  bool insert(u64 key, u32 value) {
    if (size_ * 2 >= capacity_ && !grow()) return false;
    place(key, value);
    size_++;
    return true;
  }
  u32 size() const { return size_; }
  size_t bytes() const { return size_t{capacity_} * sizeof(Entry); }
  void release() {
    unmap_array(entries_, capacity_);
    size_ = capacity_ = 0;
  }

 private:
  struct Entry {
    u64 key;
    u32 value;
  };

  u32 home(u64 key) const { return static_cast<u32>((key * 0x9E3779B97F4A7C15ull) >> 32) & (capacity_ - 1); }
  void place(u64 key, u32 value) {
    u32 at = home(key);
    while (entries_[at].key) at = (at + 1) & (capacity_ - 1);
    entries_[at] = {key, value};
  }
  bool grow() {
    Entry* old = entries_;
    u32 old_capacity = capacity_;
    u32 wanted = old_capacity ? old_capacity * 2 : 1024;
    Entry* grown = map_array<Entry>(wanted);
    if (!grown) return false;
    entries_ = grown;
    capacity_ = wanted;
    for (u32 i = 0; i < old_capacity; i++)
      if (old[i].key) place(old[i].key, old[i].value);
    unmap_array(old, old_capacity);
    return true;
  }

  Entry* entries_ = nullptr;
  u32 size_ = 0;
  u32 capacity_ = 0;
};

}  // namespace btrace
