#pragma once
#include "base/types.h"

namespace btrace {

#if defined(__linux__)
inline constexpr const char* kSystem = "linux";
#elif defined(__ENVIRONMENT_IPHONE_OS_VERSION_MIN_REQUIRED__)
inline constexpr const char* kSystem = "ios";
#elif defined(__APPLE__)
inline constexpr const char* kSystem = "macos";
#endif
#if defined(__x86_64__)
inline constexpr const char* kArchitecture = "x86-64";
#elif defined(__aarch64__)
inline constexpr const char* kArchitecture = "arm64";
#elif defined(__arm__)
inline constexpr const char* kArchitecture = "arm";
#endif

// Processors this process may run on.
u32 processor_count();

// Bytes of a page of memory: 16 KiB on some devices. 0 where the kernel does not say.
u32 page_bytes();

// A small file of the kernel's (/proc, /dev), at most `size` - 1 bytes, with a 0 behind. Bytes read, or -1.
i64 read_small_file(const char* path, char* text, size_t size);

// The kernel's name of the calling thread, at most 15 bytes of it.
void set_thread_comm(const char* name);
// The calling thread's, by one system call; nothing is done where that fails.
void own_comm(char (&name)[16]);
// The kernel's name of a thread of this process; empty when it has gone.
void thread_comm(u32 tid, char* name, size_t size);

// Whether a thread of this process has a processor, or waits for nothing but one.
bool thread_runs(u32 tid);

// Copies memory that may not be there; false when it is not. A system call, some 300 ns: never while capturing.
bool read_memory(const void* from, void* to, size_t bytes);

}  // namespace btrace
