#pragma once
// Code of the JVM's own that compiled methods call for what has a better way than bytecode: sines, copies, checksums.
// It has no method, and the JVM's walk for signal handlers does not get past it; its caller's frame is one it knows.
#include "os/signal.h"

namespace btrace::hotspot {

// All that the JVM compiled or made, of which not all is mapped.
struct CodeArea {
  u64 begin, bytes;
};

// Where a stub that was interrupted at `at` was called from, on the calling thread's own stack; false: it was no stub
// that is understood. Nothing is believed that the caller's own call does not bear out. For x86-64.
bool find_stub_caller(const Registers& at, CodeArea area, u64 stack_begin, u64 stack_end, Registers& caller);

// Where a stub was called from by which compiled methods call the JVM, and which the JVM's walk does not get past
// either. It runs a function of the JVM: `pc` is where that returns to in the stub, `sp` the stub's frame. Its first
// instruction must make a frame that ends where the method's call of it has left its return address.
bool find_runtime_stub_caller(u64 pc, u64 sp, CodeArea area, u64 stack_end, Registers& caller);

// Where the jump at `address` leads within the area; 0: there is no unconditional jump. For x86-64.
u64 jump_target(CodeArea area, u64 address);

}  // namespace btrace::hotspot
