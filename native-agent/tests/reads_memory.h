#pragma once
// Under qemu a process cannot read its own memory by the system call for it: what is proven then is that nothing is
// taken for read that was not.
#include "os/machine.h"

inline bool reads_memory() {
  btrace::u64 one = 1, read = 0;
  return btrace::read_memory(&one, &read, sizeof read) && read == one;
}
