#pragma once
// Reads of the JVM's memory.
#include "base/types.h"
#include "os/linux/machine.h"
#include "rt/hotspot/vm_structs.h"

namespace btrace::hotspot {

// Of what is there for sure.
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
