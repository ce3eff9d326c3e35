#pragma once
// Functions that samples have met in images of which the desktop has no file: each is looked up once, in the image.
#include "base/id_map.h"
#include "os/image_functions.h"

namespace btrace {

class KnownFunctions {
 public:
  // One of an image, with the addresses that were noted in it.
  struct Met {
    u32 image;
    uintptr_t begin;
    const char* name;
    u32 name_bytes;
    const uintptr_t* addresses;
    u32 count;
  };

  using Find = void (*)(const Image& image, const uintptr_t* addresses, u32 count, FoundFunctions& found);

  // False where there is no memory: then none is known.
  bool init(Find find = find_functions);
  void release();
  u64 bytes() const;
  // An address in an image that has its functions in memory. True where there is no room for more before look_up().
  bool note(u32 image, uintptr_t address);
  // `image_of`: an image by its number. Calls visit(Met) for the functions of what was noted, as far as they have
  // names. An address is told once.
  template <class ImageOf, class Visit>
  void look_up(ImageOf image_of, Visit visit) {
    sort_noted();
    for (u32 begin = 0, end; begin < noted_count_; begin = end) {
      const u32 image = noted_[begin].image;
      for (end = begin; end < noted_count_ && noted_[end].image == image; end++) addresses_[end] = noted_[end].address;
      look_up_in(image_of(image), addresses_ + begin, end - begin);
      for (u32 at = begin, next; at < end; at = next) {
        const Known* known = holding(addresses_[at]);
        for (next = at + 1; next < end && known && addresses_[next] < known->end;) next++;
        if (known && known->name_bytes)
          visit(Met{image, known->begin, reinterpret_cast<const char*>(names_.data()) + known->name, known->name_bytes,
                    addresses_ + at, next - at});
      }
    }
    noted_count_ = 0;
  }

 private:
  static constexpr u32 kMostNoted = 4096;
  // Of one recording: beyond them there are no names.
  static constexpr u32 kMostAddresses = 1 << 17, kMostKnown = 1 << 15;
  static constexpr size_t kMostNames = 4 * kMiB;
  struct Noted {
    u32 image;
    uintptr_t address;
  };
  struct Known {
    uintptr_t begin, end;
    u32 name, name_bytes;
  };
  void sort_noted();
  void look_up_in(const Image& image, const uintptr_t* addresses, u32 count);
  const Known* holding(uintptr_t address) const;
  void remember(const Image& image, const FoundFunctions& found);

  Find find_ = nullptr;
  Noted* noted_ = nullptr;
  uintptr_t* addresses_ = nullptr;
  uintptr_t* unknown_ = nullptr;
  Known* known_ = nullptr;  // ascending
  u32 noted_count_ = 0, known_count_ = 0;
  IdMap seen_;
  Bytes names_;
};

}  // namespace btrace
