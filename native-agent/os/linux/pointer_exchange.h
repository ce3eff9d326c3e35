#pragma once
// Writes one pointer of a library's global offset table.
#include "os/linux/elf_format.h"

namespace btrace {

// From one value to the other, all at once: other threads call through the pointer meanwhile.
// While the loader calls back (libc::each_object), so that it changes nothing meanwhile.
bool exchange(const elf::LoadedObject& object, size_t object_bytes, void** place, void* from, void* to);

}  // namespace btrace
