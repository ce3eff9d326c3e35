#pragma once
// Symbols of a library that is loaded in this process, also where the linker's namespaces hide it from dlsym.
#include "base/types.h"

namespace btrace::art {

class LoadedLibrary {
 public:
  // The first loaded library whose file name begins with `name` ("libart.so"). False: not loaded.
  bool find(const char* name);
  // Address of a symbol that the library exports; nullptr when it has none of this name. No lock, some 100 ns.
  void* symbol(const char* name) const;

 private:
  bool read_dynamic(const void* dynamic);

  u8* base_ = nullptr;
  const void* symbols_ = nullptr;  // .dynsym
  const char* strings_ = nullptr;
  const u32* gnu_hash_ = nullptr;
};

}  // namespace btrace::art
