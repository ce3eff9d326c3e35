#pragma once
#include "base/types.h"

namespace btrace {

// CRC-32 as in zip. Start with 0; feed parts one after another.
u32 crc32(u32 crc, const u8* data, size_t bytes);

}  // namespace btrace
