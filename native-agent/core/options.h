#pragma once
#include "base/types.h"

namespace btrace {

// What the desktop hands the agent as it attaches: "socket=PATH,secret=PATH", where the second is a file with
// "token=HEX,answer=HEX", or these two words themselves instead of it (docs/FORMAT.md, Conversation).
// Instead of the socket it connects to, it is told where it listens: "listen=NAME" or "port=NUMBER".
// With "wait=MS" an attach or a start that must miss nothing holds the program that long at most, until it is recorded.
struct Options {
  static constexpr u32 kTokenBytes = 16;
  char socket[108] = {};
  char listen[108] = {};
  u8 token[kTokenBytes] = {};   // Hello must carry it
  u8 answer[kTokenBytes] = {};  // Welcome carries it
  u32 wait_ms = 0;
  u32 port = 0;  // of this device alone; 0: none
};

// False when something is missing, too long or not hexadecimal.
bool parse_options(const char* text, Options& options);

}  // namespace btrace
