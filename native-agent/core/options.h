#pragma once
#include "base/types.h"

namespace btrace {

// What the desktop hands the agent as it attaches: "socket=PATH,token=HEX,answer=HEX" (docs/FORMAT.md, Conversation).
// With "wait=MS" an attach or a start that must miss nothing holds the program that long at most, until it is recorded.
struct Options {
  static constexpr u32 kTokenBytes = 16;
  char socket[108] = {};
  char listen[108] = {};
  u8 token[kTokenBytes] = {};   // Hello must carry it
  u8 answer[kTokenBytes] = {};  // Welcome carries it
  u32 wait_ms = 0;
};

// False when something is missing, too long or not hexadecimal.
bool parse_options(const char* text, Options& options);

}  // namespace btrace
