#pragma once
#include "base/types.h"

namespace btrace {

// The number behind "KEY:" in the text of /proc/self/status; -1: there is none.
i64 number_in_status(const char* status, const char* key);

}  // namespace btrace
