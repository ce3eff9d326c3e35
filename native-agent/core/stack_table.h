#pragma once
// Every stack once: a tree of nodes {parent, code, position}. Lock-free, of fixed size; it says when it is full.
//
// Room: 16 bytes a node and 8 for its two index slots. A stack costs one probe for each frame in which it differs from
// the thread's last stack, and one comparison for each frame it shares with it. Where a node is looked for depends on
// the frames up to it and not on the id of its parent: so the processor need not wait for one probe's memory to begin
// the next.
#include "base/atomic.h"
#include "base/types.h"

namespace btrace {

// A frame as a runtime's walk gives it: `code` is what the runtime calls the method (a pointer) or an offset in an
// image.
struct Frame {
  u64 code;
  i64 position;  // where in its code, as the runtime counts; -1: none; from kFirstImage on: the number of an image
};
inline constexpr i64 kFirstImage = 0x7fffffff;

struct Node {
  u64 code;
  u32 parent;
  u32 position;  // + 1; 0: none

  bool is_native() const { return position > kFirstImage; }
  u32 image() const { return position - static_cast<u32>(kFirstImage) - 1; }
};

// The thread's last stack: node ids from the root, and hashes of the frames up to each. Deeper frames are looked up
// each time.
struct LastStack {
  static constexpr u32 kDepth = 192;
  u32 epoch;  // of StackTables
  u32 depth;
  bool is_older;  // the thread was seen elsewhere since
  u32 nodes[kDepth];
  u32 hashes[kDepth];
};

class StackTable {
 public:
  static constexpr u32 kNoNode = 0xffffffff;

  // `nodes` is rounded up to a power of two. False when the kernel gives no memory.
  bool init(u32 nodes);
  void release();
  // Forgets all stacks; nobody may be inserting.
  void clear();
  // Frames leaf first. The node of the whole stack, 0 for an empty one, kNoNode when the table is full.
  u32 insert(const Frame* leaf_first, u32 count, LastStack& last);
  // Where the thread's last stack was these frames and native ones: those, leaf first, and how many. 0: it was another.
  u32 natives(const Frame* leaf_first, u32 count, const LastStack& last, Frame* natives, u32 limit) const;
  const Node& at(u32 id) const { return nodes_[id]; }
  u32 used() const { return min_of(next_.load_relaxed(), capacity_); }
  u32 capacity() const { return capacity_; }
  size_t touched_bytes() const { return size_t{used()} * (sizeof(Node) + 2 * sizeof(u32)); }

 private:
  u32 child(u32 hash, u32 parent, u64 code, u32 position);

  Node* nodes_;
  Atomic<u32>* index_;
  u32 capacity_;
  u32 index_mask_;
  Atomic<u32> next_;  // the next id to give out; node 0 is the root
};

}  // namespace btrace
