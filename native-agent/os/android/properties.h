#pragma once
#include "base/types.h"

namespace btrace {

// What a property holds at most, with the 0 behind it (PROP_VALUE_MAX).
inline constexpr size_t kPropertyRoom = 92;

// False when it is not set, or where the C library knows no properties.
bool system_property(const char* name, char (&value)[kPropertyRoom]);

// The agent's options (core/options.h) as system properties carry them, when they are for this process:
//   debug.btrace.app      the name of the process they are for
//   debug.btrace.listen, .token, .answer, .wait
// A property holds 91 characters, all options together are longer. False when there are none for this process, or
// where the C library knows no properties.
bool options_from_properties(char* text, size_t size);

}  // namespace btrace
