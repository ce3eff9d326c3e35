#pragma once
// Reads of the JVM's memory.
#include "base/types.h"
#include "os/machine.h"
#include "rt/hotspot/vm_structs.h"

namespace btrace::hotspot {

// Whether an address can be that of a structure of the JVM's, which are made of words, in memory of the program.
inline bool may_be_structure(u64 address) {
  constexpr u64 kLowest = 4096, kHighest = 1ull << 47;
  return address >= kLowest && address < kHighest && address % sizeof(u64) == 0;
}

// Of what is there for sure: each use is listed in rt/unchecked-reads.txt with the reason.
template <class T>
T plain_read(u64 base, i32 offset) {
  T value;
  __builtin_memcpy(&value, reinterpret_cast<const u8*>(base) + offset, sizeof value);
  return value;
}

// Of what may not be.
template <class T>
bool checked_read(u64 base, i32 offset, T& value) {
  return base && offset != kNoOffset && read_memory(reinterpret_cast<const u8*>(base) + offset, &value, sizeof value);
}

}  // namespace btrace::hotspot
