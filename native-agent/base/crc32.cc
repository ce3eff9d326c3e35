#include "base/crc32.h"

namespace btrace {

namespace {

constexpr u32 kPolynomial = 0xEDB88320;

// Slicing by four: four tables, a word at a time.
struct Tables {
  u32 of[4][256];
  constexpr Tables() : of() {
    for (u32 i = 0; i < 256; i++) {
      u32 crc = i;
      for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? kPolynomial : 0);
      of[0][i] = crc;
    }
    for (u32 i = 0; i < 256; i++)
      for (int slice = 1; slice < 4; slice++) of[slice][i] = (of[slice - 1][i] >> 8) ^ of[0][of[slice - 1][i] & 0xff];
  }
};
constexpr Tables kTables;

}  // namespace

u32 crc32(u32 crc, const u8* data, size_t bytes) {
  crc = ~crc;
  for (; bytes >= 4; data += 4, bytes -= 4) {
    crc ^= static_cast<u32>(data[0]) | static_cast<u32>(data[1]) << 8 | static_cast<u32>(data[2]) << 16 |
           static_cast<u32>(data[3]) << 24;
    crc = kTables.of[3][crc & 0xff] ^ kTables.of[2][crc >> 8 & 0xff] ^ kTables.of[1][crc >> 16 & 0xff] ^
          kTables.of[0][crc >> 24];
  }
  for (; bytes; data++, bytes--) crc = (crc >> 8) ^ kTables.of[0][(crc ^ *data) & 0xff];
  return ~crc;
}

}  // namespace btrace
