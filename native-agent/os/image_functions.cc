// What is the same for all systems: each has find_functions().
#include "os/image_functions.h"

#include "base/libc.h"
#include "base/pages.h"

namespace btrace {

bool FoundFunctions::init(u32 most) {
  all_ = map_array<Function>(most);
  most_ = all_ ? most : 0;
  return all_ != nullptr;
}

void FoundFunctions::release() {
  unmap_array(all_, most_);
  names_.release();
  most_ = count_ = named_ = 0;
}

void FoundFunctions::add(u32 begin, u32 end) {
  if (count_ < most_) all_[count_++] = {begin, end, 0, 0};
}

FoundFunctions::Function* FoundFunctions::beginning_at(u64 offset) const {
  u32 low = 0, high = count_;
  while (low < high) {
    const u32 middle = low + (high - low) / 2;
    if (all_[middle].begin < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count_ && all_[low].begin == offset ? all_ + low : nullptr;
}

void FoundFunctions::set_name(Function& one, const char* name, size_t bytes) {
  if (one.name_bytes || !bytes || bytes > kMostName) return;
  const size_t at = names_.size();
  names_.append(name, bytes);
  if (names_.failed()) return;
  one.name = static_cast<u32>(at);
  one.name_bytes = static_cast<u32>(bytes);
  named_++;
}

}  // namespace btrace
