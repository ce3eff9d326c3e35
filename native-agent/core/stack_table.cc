#include "core/stack_table.h"

#include "base/libc.h"
#include "base/pages.h"

namespace btrace {

namespace {

// Of all frames up to one, by that of those above it. Each part by a factor of its own: methods lie 8 bytes apart and
// positions are small, so plain mixing makes twins of them.
u32 hash_of(u32 above, u64 code, u32 position) {
  u64 h = code * 0x9E3779B97F4A7C15ull + (u64{above} << 32 | position) * 0xD6E8FEB86659FD93ull;
  h ^= h >> 32;
  h *= 0xBF58476D1CE4E5B9ull;
  return static_cast<u32>(h >> 32);
}

// A probe longer than this means that the table is as good as full.
constexpr u32 kMaxProbes = 256;

}  // namespace

bool StackTable::init(u32 nodes) {
  capacity_ = 1024;
  while (capacity_ < nodes) capacity_ *= 2;
  index_mask_ = capacity_ * 2 - 1;
  nodes_ = map_array<Node>(capacity_);
  index_ = map_array<Atomic<u32>>(size_t{capacity_} * 2);
  next_.store(1);
  if (nodes_ && index_) return true;
  release();
  return false;
}

void StackTable::release() {
  unmap_array(nodes_, capacity_);
  unmap_array(index_, size_t{capacity_} * 2);
  capacity_ = 0;
}

void StackTable::clear() {
  memset(static_cast<void*>(index_), 0, size_t{capacity_} * 2 * sizeof *index_);
  next_.store(1);
}

u32 StackTable::child(u32 hash, u32 parent, u64 code, u32 position) {
  u32 slot = hash & index_mask_;
  u32 mine = 0;
  for (u32 probe = 0; probe < kMaxProbes; probe++, slot = (slot + 1) & index_mask_) {
    u32 id = index_[slot].load_acquire();
    if (!id) {
      if (!mine) {
        if (next_.load_relaxed() >= capacity_) return kNoNode;
        mine = next_.add_relaxed(1);
        if (mine >= capacity_) return kNoNode;
        nodes_[mine] = {code, parent, position};
      }
      if (index_[slot].swap_if(id, mine)) return mine;
      // Lost the slot to another thread, whose node is in `id` now. If it is the same one, ours stays an unused id.
    }
    const Node& node = nodes_[id];
    if (node.code == code && node.parent == parent && node.position == position) return id;
  }
  return kNoNode;
}

u32 StackTable::natives(const Frame* leaf_first, u32 count, const LastStack& last, Frame* natives, u32 limit) const {
  // Of a deeper one not all is kept.
  if (last.is_older || last.depth <= count || last.depth - count > limit || last.depth == LastStack::kDepth) return 0;
  for (u32 depth = 0; depth < count; depth++) {
    const Frame& frame = leaf_first[count - 1 - depth];
    const Node& node = nodes_[last.nodes[depth]];
    if (node.code != frame.code || node.position != static_cast<u32>(frame.position + 1)) return 0;
  }
  const u32 found = last.depth - count;
  for (u32 i = 0; i < found; i++) {
    const Node& node = nodes_[last.nodes[last.depth - 1 - i]];
    if (!node.is_native()) return 0;
    natives[i] = {node.code, i64{node.position} - 1};
  }
  return found;
}

u32 StackTable::insert(const Frame* leaf_first, u32 count, LastStack& last) {
  u32 shared = 0;
  u32 known = min_of(last.depth, count);
  for (; shared < known; shared++) {
    const Frame& frame = leaf_first[count - 1 - shared];
    const Node& node = nodes_[last.nodes[shared]];
    if (node.code != frame.code || node.position != static_cast<u32>(frame.position + 1)) break;
  }
  u32 parent = shared ? last.nodes[shared - 1] : 0;
  u32 hash = shared ? last.hashes[shared - 1] : 0;
  last.depth = shared;
  last.is_older = false;
  for (u32 depth = shared; depth < count; depth++) {
    const Frame& frame = leaf_first[count - 1 - depth];
    const u32 position = static_cast<u32>(frame.position + 1);
    hash = hash_of(hash, frame.code, position);
    parent = child(hash, parent, frame.code, position);
    if (parent == kNoNode) {
      last.depth = 0;  // what was put in is no stack
      return kNoNode;
    }
    if (depth < LastStack::kDepth) {
      last.nodes[depth] = parent;
      last.hashes[depth] = hash;
      last.depth = depth + 1;
    }
  }
  return parent;
}

}  // namespace btrace
