#pragma once
// The code of the program's thread that loads the agent, and what it reads and writes.
#include <stddef.h>

#include "base/types.h"

namespace btrace::host {

struct LoaderData {
  // Functions of the program's C library.
  u64 open, find, error, detach, give_back;
  // Both pages.
  u64 pages, bytes;
  // The agent's function; 0: it is not loaded yet.
  u64 attach;
  u64 thread;   // the thread library's name of it
  u32 tid;
  i32 result;   // of `attach`
  u32 is_done;  // `result` or `why` are there
  u32 may_end;  // they have been read. Without it the thread ends after some seconds, and leaves the pages.
  char why[256];
  char symbol[64];
  char options[512];
  char library[2048];
};
inline constexpr u64 kLoaderPage = 4096;
static_assert(sizeof(LoaderData) <= kLoaderPage);

// Position-independent; called with the address of the data.
extern "C" const u8 btrace_loader_code[], btrace_loader_code_end[];

}  // namespace btrace::host
