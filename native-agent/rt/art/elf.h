#pragma once
// Symbols of a library that is loaded in this process, also where the linker's namespaces hide it from dlsym.
#include "base/types.h"

namespace btrace::art {

class LoadedLibrary {
 public:
  // `name` as in elf::is_named. False: not loaded.
  bool find(const char* name);
  // Address of a symbol that the library exports; nullptr when it has none of this name. No lock, some 100 ns.
  void* symbol(const char* name) const;

  struct BuildId {
    const u8* bytes;
    u32 size;
  };
  // Empty when it has none.
  BuildId build_id() const { return build_id_; }

 private:
  bool read_dynamic(const void* dynamic);

  u8* base_ = nullptr;
  const void* symbols_ = nullptr;  // .dynsym
  const char* strings_ = nullptr;
  const u32* gnu_hash_ = nullptr;
  BuildId build_id_{};
};

}  // namespace btrace::art
