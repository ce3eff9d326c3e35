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

struct ProgramHeader {
#if UINTPTR_MAX == UINT64_MAX
  u32 type, flags;
  u64 offset, address, physical_address, file_size, size, alignment;
#else
  u32 type, offset, address, physical_address, file_size, size, flags, alignment;
#endif
};

struct DynamicEntry {
  intptr_t tag;
  Word value;
};

inline constexpr u32 kSymbolTable = 2, kDynamicSymbols = 11;
inline constexpr u16 kUndefined = 0;
inline constexpr u8 kFunctionSymbol = 2, kSymbolTypeBits = 15;  // of Symbol::info
inline constexpr u32 kLoadedSegment = 1, kDynamicSegment = 2, kNoteSegment = 4, kUnwindSegment = 0x6474e550;
inline constexpr u32 kExecutable = 1, kReadable = 4;

// What dl_iterate_phdr tells of a library, as far as it is used.
struct LoadedObject {
  Word base;
  const char* path;
  const ProgramHeader* headers;
  u16 header_count;
  // Only if the loader says that its structure is so long: libraries loaded and unloaded so far.
  unsigned long long loads;
  unsigned long long unloads;
};

// "libart.so" is the name of /a/libart.so and of /b/libart.so.0.
inline bool is_named(const char* path, const char* name) {
  for (const char* at = path; *at; at++)
    if (*at == '/') path = at + 1;
  while (*name && *path == *name) path++, name++;
  return !*name && (!*path || *path == '.');
}

}  // namespace btrace::elf
