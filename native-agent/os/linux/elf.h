#pragma once
// Symbols of a loaded library, those of its full table (.symtab) too, by reading the file it was mapped from.
#include "base/types.h"

namespace btrace {

// Where the file of the library lies that this code is in. A startup agent is loaded by a link in a folder that is soon
// gone: the file itself is meant. False when it cannot be told.
bool find_own_file(char* path, size_t size);

class Library {
 public:
  // `name` as in elf::is_named. False when it is not loaded or its file cannot be read.
  bool open(const char* name);
  // The address in this process; nullptr when neither table has it.
  void* symbol(const char* name) const;
  void close();

 private:
  const u8* file_ = nullptr;
  size_t size_ = 0;
  uintptr_t base_ = 0;
};

}  // namespace btrace
