#pragma once
// Reads of what ART's collector holds: objects, and from Android 14 on methods too.
#include "base/types.h"

namespace btrace::art {

// Copies it; false when it is not there. From Android 14 on the collector takes pages away while it compacts, by
// userfaultfd: the kernel's call for reading memory fails on them, though a thread that reads them itself gets them,
// filled by ART. Only a Runnable thread may, which the collector counts on; it reads them under the fault guard.
bool read_managed(const void* from, void* to, size_t bytes);
// Where the calling thread is in native code, it waits for the collector to give the page back: 20 ms at most.
bool read_managed_patiently(const void* from, void* to, size_t bytes);

}  // namespace btrace::art
