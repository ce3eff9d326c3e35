#pragma once
// The three column codings of docs/FORMAT.md. `value(row)` gives the rows; a column costs one pass and no memory.
#include "core/proto.h"

namespace btrace {

enum class Coding : u8 { Plain, Sparse };

// Entries only, without key and length.
template <class Value>
void put_entries(Bytes& out, u32 rows, Coding coding, Value value) {
  if (coding == Coding::Plain) {
    for (u32 row = 0; row < rows; row++) put_signed(out, value(row));
    return;
  }
  for (u32 row = 0; row < rows;) {
    i64 entry = value(row++);
    put_signed(out, entry);
    if (entry) continue;
    u32 more = 0;
    while (row < rows && value(row) == 0) row++, more++;
    put_signed(out, more);
  }
}

// A sparse column without an entry is left out.
template <class Value>
void put_column(Bytes& out, u32 field, u32 rows, Coding coding, Value value) {
  if (coding == Coding::Sparse) {
    u32 row = 0;
    while (row < rows && value(row) == 0) row++;
    if (row == rows) return;
  }
  if (!rows) return;
  Nested column(out, field);
  put_entries(out, rows, coding, value);
}

// The same for differences: the first row to `base`.
template <class Value>
void put_delta_column(Bytes& out, u32 field, u32 rows, Coding coding, i64 base, Value value) {
  put_column(out, field, rows, coding, [&](u32 row) {
    u64 before = static_cast<u64>(row ? value(row - 1) : base);
    return static_cast<i64>(static_cast<u64>(value(row)) - before);
  });
}

}  // namespace btrace
