#pragma once
// Code of the JVM's own that compiled methods call for what has a better way than bytecode: sines, copies, checksums.
// It has no method, and the JVM's walk for signal handlers does not get past it; its caller's frame is one it knows.
#include "os/linux/signal.h"

namespace btrace::hotspot {

// All that the JVM compiled or made, of which not all is mapped.
struct CodeArea {
  u64 begin, bytes;
};

// Where a stub that was interrupted at `at` was called from, on the calling thread's own stack; false: it was no stub
// that is understood. Nothing is believed that the caller's own call does not bear out. For x86-64.
bool find_stub_caller(const Registers& at, CodeArea area, u64 stack_begin, u64 stack_end, Registers& caller);

}  // namespace btrace::hotspot
