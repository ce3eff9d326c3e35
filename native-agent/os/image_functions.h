#pragma once
// Functions of an image by the tables that it has in memory, for images of which the desktop has no file.
#include "base/bytes.h"
#include "os/images.h"

namespace btrace {

// The functions that some addresses lie in, by where they begin, from the image's own begin on.
class FoundFunctions {
 public:
  struct Function {
    u32 begin, end;
    u32 name, name_bytes;  // in the names; no bytes: nothing tells it
  };

  // Room for so many; false where there is no memory.
  bool init(u32 most);
  void release();
  void add(u32 begin, u32 end);  // ascending
  u32 count() const { return count_; }
  Function& at(u32 number) const { return all_[number]; }
  // That which begins there, or nullptr.
  Function* beginning_at(u64 offset) const;
  const char* name_of(const Function& one) const { return reinterpret_cast<const char*>(names_.data()) + one.name; }
  bool all_named() const { return named_ == count_; }
  // The first name that is told stays. One that is too long is none.
  void set_name(Function& one, const char* name, size_t bytes);

  static constexpr u32 kMostName = 2048;

 private:
  Function* all_ = nullptr;
  u32 most_ = 0, count_ = 0, named_ = 0;
  Bytes names_;
};

// Adds the functions that the addresses lie in, which ascend and lie in the image. By checked reads, on the agent's own
// threads: some milliseconds where the image is large.
void find_functions(const Image& image, const uintptr_t* addresses, u32 count, FoundFunctions& found);

// What was kept of images for that, at the end of a recording; and how much memory it takes.
void forget_images_functions();
u64 images_functions_bytes();

}  // namespace btrace
