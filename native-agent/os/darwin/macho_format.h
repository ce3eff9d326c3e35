#pragma once
// The part of the Mach-O format (<mach-o/loader.h>, <mach-o/nlist.h>) that is read in loaded images, of 64 bits.
#include "base/types.h"

namespace btrace::macho {

inline constexpr u32 kMagic = 0xfeedfacf;
inline constexpr u32 kProgram = 2;  // a header's file_type
inline constexpr u32 kInSharedCache = 0x80000000;  // of a header's flags: there is no file of it

struct Header {
  u32 magic, cpu, cpu_subtype, file_type, command_count, command_bytes, flags, reserved;
};

struct Command {
  u32 kind, bytes;
};
inline constexpr u32 kSymbolTable = 2, kDynamicSymbolTable = 11, kSegment = 0x19, kUuid = 0x1b;
inline constexpr u32 kLoaderInfo = 0x22, kFunctionStarts = 0x26;
inline constexpr u32 kOnlyLoaderInfo = 0x80000022, kExportsTrie = 0x80000033;

struct Segment {
  Command command;
  char name[16];
  u64 address, bytes, file_offset, file_bytes;
  i32 most_access, access;
  u32 section_count, flags;
};
inline constexpr u32 kReadOnlyAfterBinding = 0x10;

struct Section {
  char name[16], segment[16];
  u64 address, bytes;
  u32 file_offset, alignment, relocations, relocation_count, flags;
  u32 first_indirect;  // of a section of pointers: the index of the first one's symbol
  u32 reserved[2];
};
inline constexpr u32 kSectionKind = 0xff, kPointers = 6, kLazyPointers = 7;

struct Uuid {
  Command command;
  u8 bytes[16];
};

struct SymbolTable {
  Command command;
  u32 symbols, symbol_count, strings, string_bytes;
};

struct LinkeditData {
  Command command;
  u32 offset, bytes;
};

struct LoaderInfo {
  Command command;
  u32 fixups[8];
  u32 exports, export_bytes;
};

struct DynamicSymbolTable {
  Command command;
  u32 unused[12];
  u32 indirect, indirect_count;
  u32 more[4];
};
inline constexpr u32 kLocalOrAbsolute = 0xc0000000;

struct Symbol {
  u32 name;
  u8 type, section;
  u16 description;
  u64 value;
};

// Whether a name of at most 16 bytes, which need not end in a 0, is this one.
inline bool is_name(const char (&name)[16], const char* wanted) {
  for (u32 i = 0; i < sizeof name; i++) {
    if (name[i] != wanted[i]) return false;
    if (!name[i]) return true;
  }
  return wanted[sizeof name] == 0;
}

}  // namespace btrace::macho
