#pragma once
// Functions that only iOS and macOS have.
#include "rt/native/native.h"

namespace btrace::native {

Points darwin_waiting_points();  // waits.cc

}  // namespace btrace::native
