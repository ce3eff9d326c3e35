#pragma once
#include <stddef.h>
#include <stdint.h>

namespace btrace {

using u8 = uint8_t;
using i16 = int16_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
using i64 = int64_t;

inline constexpr i64 kNsPerUs = 1000;
inline constexpr i64 kNsPerMs = 1000 * 1000;
inline constexpr i64 kNsPerSecond = 1000 * 1000 * 1000;
inline constexpr u64 kMiB = 1024 * 1024;

template <class T>
constexpr T min_of(T a, T b) {
  return a < b ? a : b;
}
template <class T>
constexpr T max_of(T a, T b) {
  return a > b ? a : b;
}

}  // namespace btrace
