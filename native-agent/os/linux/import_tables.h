#pragma once
// What the dynamic section of a loaded library says of the functions that it imports.
#include "os/linux/elf_format.h"

namespace btrace::elf {

// Relocations with an addend of their own, and without: each machine has one of the two.
struct Relocation {
  Word place;
  Word info;
#if UINTPTR_MAX == UINT64_MAX
  intptr_t addend;
  u32 symbol() const { return static_cast<u32>(info >> 32); }
  u32 type() const { return static_cast<u32>(info); }
#else
  u32 symbol() const { return info >> 8; }
  u32 type() const { return info & 0xff; }
#endif
};

#if defined(__x86_64__)
inline constexpr u32 kCallPointer = 7, kDataPointer = 6;  // R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
inline constexpr u32 kCallPointer = 1026, kDataPointer = 1025;  // R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT
#else
inline constexpr u32 kCallPointer = 22, kDataPointer = 21;  // R_ARM_JUMP_SLOT, R_ARM_GLOB_DAT
#endif

// Whether so many bytes lie in one segment that is loaded with these flags.
bool lies_in(const LoadedObject& object, Word address, size_t bytes, u32 flags);

// What the library's dynamic section says; every part lies in what is loaded of it.
struct Tables {
  const elf::Symbol* symbols = nullptr;
  const char* strings = nullptr;
  size_t string_bytes = 0;
  struct Part {
    const Relocation* at = nullptr;
    size_t count = 0;
  } calls, others;
};

bool read_tables(const LoadedObject& object, Tables& tables);
// The symbol that a relocation names, if another library has it: one that the library has itself may be used by the
// library in other ways, too. Else nullptr.
const Symbol* imported_symbol(const LoadedObject& object, const Tables& tables, const Relocation& relocation);
// Ends with a zero in the library's memory; nullptr: it does not lie there.
const char* name_of(const Tables& tables, const Symbol& symbol);

}  // namespace btrace::elf
