#pragma once
// Texts that samples carry by number: what the program says of itself. Each is told once in a recording. For calls of
// the program's own, which may wait for a moment; never for a capture.
#include "base/bytes.h"
#include "base/types.h"

namespace btrace {

// The text's number in the recording that is being made; 0 when there is none, or when it has too many different ones.
u32 number_of_text(const char* text, size_t size);
// The same for a recording that may be over by now, and another one begun: then 0.
u32 number_of_text(u32 session, const char* text, size_t size);
// Appends the entries of a Texts message that the recording has not told yet. False when there are none.
bool take_new_texts(u32 session, Bytes& out);

}  // namespace btrace
