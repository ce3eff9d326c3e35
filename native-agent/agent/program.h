#pragma once
#include "core/runtime.h"

namespace btrace {

// Of the program that this library is for, when it has none of its own. The entry has it.
Runtime& native_runtime();

}  // namespace btrace
