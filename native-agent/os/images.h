#pragma once
// The program of this process and its libraries, by their addresses: captures find them without a lock.
#include "base/atomic.h"
#include "base/types.h"
#include "os/unwind_table.h"

namespace btrace {

struct Image {
  static constexpr u32 kPath = 256, kBuildId = 32;
  uintptr_t base;  // an address minus this is what the file's symbols have
  uintptr_t begin, end;
  uintptr_t header;  // of an image that no file has: its functions are named by its tables in memory; else 0
  char path[kPath];
  u8 build_id[kBuildId];
  u32 build_id_size;  // 0: it has none
  UnwindTable unwind;
};

class Images {
 public:
  static constexpr u32 kImages = 1024;
  static constexpr u32 kNone = 0xffffffff;

  // False when the kernel gives no memory.
  bool init();
  void release();
  // On the agent's own threads, one at a time: takes in what has been loaded since.
  void refresh();
  void refresh_if_missed() {
    if (missed_.exchange(0)) refresh();
  }
  // Before anybody asks: what lies in the same image as this address is in none, and nothing is missed.
  void leave_out(uintptr_t address) { left_out_ = address; }
  bool is_left_out(u32 number) const { return ranges_[number].holds(left_out_); }
  // The image that this address lies in is the runtime's own.
  void set_runtime(uintptr_t address) { runtime_ = address; }
  // Libraries that are never unloaded: the runtime's own and the C library.
  bool is_kept(u32 number) const { return ranges_[number].holds(runtime_) || ranges_[number].holds(c_library_); }
  // On any thread: the number of the image that the address lies in, or kNone.
  u32 find(uintptr_t address) {
    const u32 number = number_of(address);
    return number == kNone || is_left_out(number) ? kNone : number;
  }
  // The same, where none is left out.
  u32 number_of(uintptr_t address);
  // Whether it is shown that a function of this image called another: neither what is left out nor the runtime's own.
  bool shows_callers(u32 number) const { return !is_left_out(number) && !ranges_[number].holds(runtime_); }
  u32 count() const { return count_.load_relaxed(); }
  const Image& at(u32 number) const { return images_[number]; }
  size_t touched_bytes() const { return count_.load_relaxed() * (sizeof(Image) + sizeof(Range)); }

 private:
  struct Range {
    uintptr_t begin, end;
    bool holds(uintptr_t address) const { return address >= begin && address < end; }
  };
  void add(const Image& image);

  Image* images_;
  Range* ranges_;  // apart, so that a search touches little memory
  uintptr_t left_out_, runtime_, c_library_;
  Atomic<u32> count_;
  Atomic<u32> missed_;  // an address lay in none: perhaps in one that was loaded since
};

}  // namespace btrace
