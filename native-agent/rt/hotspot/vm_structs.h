#pragma once
// What libjvm.so says of its own structures (gHotSpotVMStructs, exported for the serviceability agent). Nothing is
// guessed from a version: an offset that is not there, or whose value does not agree with a known neighbour, switches
// its use off.
#include "base/types.h"

namespace btrace::hotspot {

inline constexpr i32 kNoOffset = -1;

class VmStructs {
 public:
  // False when this is not a HotSpot that exports its table.
  bool load();
  // Of a field within its structure.
  i32 offset(const char* type, const char* field) const;
  // The size of a type, or kNoOffset.
  i32 size_of(const char* type) const;
  // The place of a static field; nullptr when there is none.
  const void* address(const char* type, const char* field) const;

  // Where a flag of the JVM's is kept; nullptr when there is none of that name.
  const void* flag(const char* name) const;

 private:
  const u8* find(const char* type, const char* field) const;

  const u8* table_ = nullptr;
  u64 stride_ = 0, type_ = 0, field_ = 0, is_static_ = 0, offset_ = 0, address_ = 0;
};

}  // namespace btrace::hotspot
