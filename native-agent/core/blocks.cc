#include "core/blocks.h"

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

}  // namespace btrace
