#pragma once
// The stubs of call_counts.h.
#include "base/types.h"

namespace btrace::native::stubs {

// Also in the assembler's text.
inline constexpr u32 kStubs = 4096, kColumns = 1024, kStubBytes = 16;

bool are_possible();
void* at(u32 number);
// The number of the stub that lies there; kStubs: none does.
u32 number_of(const void* address);
// Where it jumps on to, and the pointer that leads to it. To be set before one does.
void set_target(u32 number, void** place, void* target);
// Memory for the counts of all threads, of kStubs each: threads take columns as they come, all beyond kColumns - 1 the
// last one together. Once given it stays: a thread may be in a stub at any time.
bool has_columns();
void give_columns(u64* columns);
// How many columns are in use, their threads, and their counts.
u32 columns();
u32 tid_of(u32 column);
u64 count_of(u32 column, u32 number);

}  // namespace btrace::native::stubs
