#pragma once
// What a loaded library says of itself, and its symbols: those of its full table (.symtab) too, by reading the file it
// was mapped from.
#include "os/linux/elf_format.h"

namespace btrace {

// Where the file of the library lies that this code is in. A startup agent is loaded by a link in a folder that is soon
// gone: the file itself is meant. False when it cannot be told.
bool find_own_file(char* path, size_t size);

struct BuildId {
  const u8* bytes;  // where the library is loaded
  u32 size;
};
// Empty when the library has none.
BuildId build_id_of(const elf::LoadedObject& object);

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
