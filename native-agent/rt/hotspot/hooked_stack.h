#pragma once
// The calling thread's Java stack from within a function of the C library that a library calls. Neither waits for the
// JVM nor changes the thread's state there.
#include "base/libc.h"
#include "core/capture.h"
#include "rt/hotspot/hotspot.h"

namespace btrace::hotspot {

// Into the capture's frames; returns how many, at least one. `from`: the registers of the caller of the hook.
u32 walk_from_hook(Capture& capture, const Registers& from);

// Makes `name`: the registers of the caller of the function that this stands in, which must not be inlined.
#define BTRACE_CALLER_REGISTERS(name)                                                    \
  Registers name{reinterpret_cast<uintptr_t>(__builtin_return_address(0)),               \
                 reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa()), 0,                  \
                 reinterpret_cast<uintptr_t>(__builtin_return_address(0))};              \
  memcpy(&name.frame, __builtin_frame_address(0), sizeof name.frame)

}  // namespace btrace::hotspot
