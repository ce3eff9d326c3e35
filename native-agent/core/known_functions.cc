#include "core/known_functions.h"

#include "base/pages.h"

namespace btrace {

bool KnownFunctions::init(Find find) {
  find_ = find;
  noted_ = map_array<Noted>(kMostNoted);
  addresses_ = map_array<uintptr_t>(kMostNoted);
  unknown_ = map_array<uintptr_t>(kMostNoted);
  known_ = map_array<Known>(kMostKnown);
  if (noted_ && addresses_ && unknown_ && known_) return true;
  release();
  return false;
}

void KnownFunctions::release() {
  unmap_array(noted_, kMostNoted);
  unmap_array(addresses_, kMostNoted);
  unmap_array(unknown_, kMostNoted);
  unmap_array(known_, kMostKnown);
  seen_.release();
  names_.release();
  forget_images_functions();
  noted_count_ = known_count_ = 0;
}

u64 KnownFunctions::bytes() const {
  return images_functions_bytes() + seen_.bytes() + names_.capacity() + known_count_ * sizeof(Known);
}

bool KnownFunctions::note(u32 image, uintptr_t address) {
  if (!noted_ || seen_.find(address) || seen_.size() == kMostAddresses || !seen_.insert(address, 1)) return false;
  noted_[noted_count_++] = {image, address};
  return noted_count_ == kMostNoted;
}

// By image, then by address.
void KnownFunctions::sort_noted() {
  const auto is_behind = [](const Noted& a, const Noted& b) {
    return a.image != b.image ? a.image > b.image : a.address > b.address;
  };
  for (u32 gap = noted_count_ / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11)
    for (u32 i = gap; i < noted_count_; i++) {
      const Noted one = noted_[i];
      u32 at = i;
      for (; at >= gap && is_behind(noted_[at - gap], one); at -= gap) noted_[at] = noted_[at - gap];
      noted_[at] = one;
    }
}

void KnownFunctions::look_up_in(const Image& image, const uintptr_t* addresses, u32 count) {
  u32 unknown = 0;
  for (u32 at = 0; at < count; at++)
    if (!holding(addresses[at])) unknown_[unknown++] = addresses[at];
  FoundFunctions found;
  if (!unknown || known_count_ == kMostKnown || !found.init(unknown)) return;
  find_(image, unknown_, unknown, found);
  remember(image, found);
  found.release();
}

// Both ascend: from the last one down, each is moved once at most.
void KnownFunctions::remember(const Image& image, const FoundFunctions& found) {
  u32 known = known_count_, next = min_of(found.count(), kMostKnown - known_count_);
  known_count_ += next;
  for (u32 to = known_count_; next > 0;) {
    const FoundFunctions::Function& one = found.at(next - 1);
    const uintptr_t begin = image.begin + one.begin;
    if (known && known_[known - 1].begin > begin) {
      known_[--to] = known_[--known];
      continue;
    }
    next--;
    const size_t name = names_.size();
    if (name + one.name_bytes <= kMostNames) names_.append(found.name_of(one), one.name_bytes);
    known_[--to] = {begin, image.begin + one.end, static_cast<u32>(name), static_cast<u32>(names_.size() - name)};
  }
}

const KnownFunctions::Known* KnownFunctions::holding(uintptr_t address) const {
  // How many begin at the address or before it.
  u32 low = 0, high = known_count_;
  while (low < high) {
    const u32 middle = low + (high - low) / 2;
    if (known_[middle].begin <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low && address < known_[low - 1].end ? known_ + low - 1 : nullptr;
}

}  // namespace btrace
