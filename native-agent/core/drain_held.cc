// Memory that the program holds when the recording ends.
#include "base/pages.h"
#include "core/drain.h"

namespace btrace {

void Drain::cut_held_memory(Bytes& out) {
  HeldAllocation* rows = map_array<HeldAllocation>(kBatchRows);
  if (!rows) return;
  const StackTables& stacks = session_->stacks;
  for (u32 at = 0, count = 1; count;) {
    count = 0;
    new_node_count_ = 0;
    HeldAllocation held;
    while (count < kBatchRows && runtime_->next_held(at, held)) {
      if (held.session != session_->id) continue;
      // Of a table that has been emptied since nothing is known any more.
      if (!stacks.has(held.stack)) held.stack = 0;
      note_node(held.stack);
      rows[count++] = held;
    }
    if (!count) break;
    cut_nodes(out);
    const size_t begin = begin_chunk(out);
    put_held_memory(out, rows, count);
    end(out, begin, ChunkKind::HeldMemory);
  }
  unmap_array(rows, kBatchRows);
}

}  // namespace btrace
