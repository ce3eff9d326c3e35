#pragma once
// The parts of the ELF format that are read here, for this machine's word size; the same on every C library.
#include "base/types.h"

namespace btrace::elf {

using Word = uintptr_t;

struct Header {
  u8 magic[16];
  u16 type, machine;
  u32 version;
  Word entry, program_offset, section_offset;
  u32 flags;
  u16 header_size, program_size, program_count, section_size, section_count, section_names;
};

struct Section {
  u32 name, type;
  Word flags, address, offset, size;
  u32 link, info;
  Word alignment, entry_size;
};

#if UINTPTR_MAX == UINT64_MAX
struct Symbol {
  u32 name;
  u8 info, other;
  u16 section;
  u64 value, size;
};
#else
struct Symbol {
  u32 name, value, size;
  u8 info, other;
  u16 section;
};
#endif

inline constexpr u32 kSymbolTable = 2, kDynamicSymbols = 11;
inline constexpr u16 kUndefined = 0;

// What dl_iterate_phdr tells of a library, as far as it is used.
struct LoadedObject {
  Word base;
  const char* path;
};

}  // namespace btrace::elf
