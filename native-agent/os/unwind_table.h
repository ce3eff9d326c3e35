#pragma once
// How to get from a function's frame to its caller's, by what compilers write beside the code of each library for
// exceptions and debuggers (.eh_frame, with the sorted table .eh_frame_hdr in front). Nothing is allocated and nothing
// is trusted: a library may be unloaded while its tables are read, so all of them are read by checked reads. For 64
// bits.
#include "base/types.h"

namespace btrace {

// Of one instruction. The frame's address (CFA) is what the stack pointer was before the call.
struct UnwindRule {
  enum class Base : u8 { Unknown, Stack, Frame, Elsewhere };
  enum class Saved : u8 {
    Kept,     // in its register
    AtCfa,    // so many bytes from the frame's address
    AtFrame,  // so many bytes from the frame pointer
    Lost,
  };
  struct Word {
    Saved how;
    i16 offset;
  };
  // The frame's address: a register and so much, or the word that lies there.
  Base base;
  bool by_word;
  u16 unused;
  i32 offset;
  Word frame, link;
};

// A library's .eh_frame_hdr; bytes 0: it has none.
struct UnwindTable {
  uintptr_t begin;
  size_t bytes;
  // The part of the library that it was loaded with, .eh_frame too.
  uintptr_t segment_begin, segment_end;
};

// False where the table has nothing for this address, or something that is not understood. `is_kept`: the library is
// never unloaded, so that its segment needs no checked reads, which cost some ten system calls for an address.
bool find_unwind_rule(const UnwindTable& table, uintptr_t address, bool is_kept, UnwindRule& rule);

}  // namespace btrace
