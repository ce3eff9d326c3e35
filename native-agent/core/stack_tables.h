#pragma once
// A session has no length limit, a stack table has: two tables take turns. When the one in use is nearly full and
// nothing that is not yet drained names a node of the other, the other is emptied and used. Ids go on counting: epoch ×
// capacity + the table's own.
#include "base/libc.h"
#include "core/stack_table.h"

namespace btrace {

class StackTables {
 public:
  static constexpr u32 kNoNode = StackTable::kNoNode;
  static constexpr u32 kMaxId = 1u << 28;  // what a reader takes (docs/FORMAT.md)

  bool init(u32 nodes_each) { return tables_[0].init(nodes_each) && tables_[1].init(nodes_each); }
  void release() {
    tables_[0].release();
    tables_[1].release();
    epoch_.store(0);
  }
  // On any thread: the id of the whole stack, 0 for an empty one, kNoNode when the table is full.
  u32 insert(const Frame* leaf_first, u32 count, LastStack& last) {
    u32 epoch = epoch_.load_acquire();
    if (last.epoch != epoch) {
      last.epoch = epoch;
      last.depth = 0;
    }
    u32 local = tables_[epoch % 2].insert(leaf_first, count, last);
    return local == 0 || local == kNoNode ? local : epoch * capacity() + local;
  }

  u32 natives(const Frame* leaf_first, u32 count, const LastStack& last, Frame* natives, u32 limit) const {
    u32 epoch = epoch_.load_acquire();
    return last.epoch == epoch ? tables_[epoch % 2].natives(leaf_first, count, last, natives, limit) : 0;
  }

  // The drain's: `parent` is an id like `id`, in the same epoch.
  Node at(u32 id) const {
    Node node = tables_[epoch_of(id) % 2].at(id % capacity());
    if (node.parent) node.parent += epoch_of(id) * capacity();
    return node;
  }
  u32 capacity() const { return tables_[0].capacity(); }  // of each
  u32 epoch() const { return epoch_.load_acquire(); }
  u32 epoch_of(u32 id) const { return id / capacity(); }
  // False if the table of `id` was emptied since.
  bool has(u32 id) const { return epoch_of(id) + 1 >= epoch(); }
  // Whether an id is of the table that is in use.
  bool is_current(u32 id) const { return epoch_of(id) == epoch(); }
  bool nearly_full() const { return tables_[epoch() % 2].used() > capacity() / 8 * 7; }
  bool may_turn() const { return (u64{epoch()} + 2) * capacity() < kMaxId; }
  // Empties the other table and makes it the one in use. Nobody may hold an id of it any more.
  void turn() {
    u32 next = epoch() + 1;
    tables_[next % 2].clear();
    epoch_.store(next);
  }
  size_t touched_bytes() const { return tables_[0].touched_bytes() + tables_[1].touched_bytes(); }

 private:
  StackTable tables_[2];
  Atomic<u32> epoch_;
};

}  // namespace btrace
