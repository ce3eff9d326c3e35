#include "core/sample_block.h"

namespace btrace {

void put_nodes(Bytes& out, const NodeRow* nodes, u32 count) {
  if (!count) return;
  put_column(out, 1, count, Coding::Sparse,
             [&](u32 row) { return row ? i64{nodes[row].id} - i64{nodes[row - 1].id} - 1 : 0; });
  put_field(out, 2, nodes[0].id);
  put_column(out, 3, count, Coding::Plain, [&](u32 row) { return i64{nodes[row].id} - i64{nodes[row].parent} - 1; });
  put_delta_column(out, 4, count, Coding::Plain, 0, [&](u32 row) { return nodes[row].frame; });
  put_column(out, 5, count, Coding::Plain, [&](u32 row) { return nodes[row].position; });
  put_column(out, 6, count, Coding::Sparse, [&](u32 row) { return i64{nodes[row].image}; });
}

void put_off_carrier_waits(Bytes& out, const OffCarrierWaitRow* rows, u32 count) {
  constexpr Coding kPlain = Coding::Plain, kSparse = Coding::Sparse;
  put_delta_column(out, 1, count, kSparse, 0, [&](u32 row) { return i64{rows[row].thread}; });
  put_delta_column(out, 2, count, kPlain, 0, [&](u32 row) { return i64{rows[row].id}; });
  put_delta_column(out, 3, count, kPlain, 0, [&](u32 row) { return rows[row].begin_ns; });
  put_column(out, 4, count, kPlain, [&](u32 row) { return rows[row].duration_ns; });
  put_delta_column(out, 5, count, kPlain, 0, [&](u32 row) { return i64{rows[row].stack}; });
  put_column(out, 6, count, kSparse, [&](u32 row) { return i64{rows[row].flags}; });
  put_column(out, 7, count, kSparse, [&](u32 row) { return i64{rows[row].left_out}; });
  put_column(out, 8, count, kSparse, [&](u32 row) { return static_cast<i64>(rows[row].left_out_ns); });
}

void put_held_memory(Bytes& out, const HeldAllocation* rows, u32 count) {
  constexpr Coding kPlain = Coding::Plain;
  put_delta_column(out, 1, count, Coding::Sparse, 0, [&](u32 row) { return i64{rows[row].thread}; });
  put_delta_column(out, 2, count, kPlain, 0, [&](u32 row) { return rows[row].time_ns; });
  put_delta_column(out, 3, count, kPlain, 0, [&](u32 row) { return i64{rows[row].stack}; });
  put_column(out, 4, count, kPlain, [&](u32 row) { return static_cast<i64>(rows[row].bytes); });
}

}  // namespace btrace
