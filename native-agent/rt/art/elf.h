#pragma once
// Symbols of a library that is loaded in this process, also where the linker's namespaces hide it from dlsym.
#include "os/linux/elf.h"
#include "rt/art/places.h"

namespace btrace::art {

class LoadedLibrary {
 public:
  // `name` as in elf::is_named. False: not loaded.
  bool find(const char* name);
  // Address of a symbol that the library exports; nullptr when it has none of this name. No lock, some 100 ns.
  void* symbol(const char* name) const;

  // Of its file; where it is loaded.
  const char* path() const { return path_; }
  // Empty when it has none.
  BuildId build_id() const { return build_id_; }
  // What a symbol with this value stands for; nullptr when that is not in the library's code.
  void* code_at(uintptr_t value) const;
  Image image() const;

 private:
  bool read_dynamic(const void* dynamic);

  u8* base_ = nullptr;
  const char* path_ = "";
  const void* symbols_ = nullptr;  // .dynsym
  const char* strings_ = nullptr;
  const u32* gnu_hash_ = nullptr;
  BuildId build_id_{};
  const elf::ProgramHeader* headers_ = nullptr;
  u16 header_count_ = 0;
};

}  // namespace btrace::art
