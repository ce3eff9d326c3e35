#pragma once
#include "base/bytes.h"
#include "base/types.h"

namespace btrace {

inline void put_varint(Bytes& out, u64 value) {
  while (value >= 0x80) {
    out.put(static_cast<u8>(value | 0x80));
    value >>= 7;
  }
  out.put(static_cast<u8>(value));
}

constexpr u64 zigzag(i64 value) {
  return (static_cast<u64>(value) << 1) ^ static_cast<u64>(value >> 63);
}
constexpr i64 unzigzag(u64 value) {
  return static_cast<i64>(value >> 1) ^ -static_cast<i64>(value & 1);
}

inline void put_signed(Bytes& out, i64 value) {
  put_varint(out, zigzag(value));
}

constexpr size_t varint_size(u64 value) {
  size_t bytes = 1;
  while (value >= 0x80) {
    value >>= 7;
    bytes++;
  }
  return bytes;
}

// False when the bytes end within it or it is longer than 64 bits.
inline bool get_varint(const u8*& at, const u8* end, u64& value) {
  value = 0;
  for (u32 shift = 0; shift < 70; shift += 7) {
    if (at == end) return false;
    u8 byte = *at++;
    if (shift == 63 && byte > 1) return false;
    value |= static_cast<u64>(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return true;
  }
  return false;
}

}  // namespace btrace
