#pragma once
#include "base/types.h"

namespace btrace {

// The path of the file that is mapped at this address, from the root: the loader knows libraries by the names that they
// were asked for with, which lead elsewhere once the program has changed its folder. Reads all of /proc/self/maps, up to
// a millisecond. False when no file is mapped there, or when its path is too long.
bool mapped_file(uintptr_t address, char* path, size_t size);

}  // namespace btrace
