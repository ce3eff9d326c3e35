#pragma once
// Where samples wait for the drain. Each thread writes into its own segments; full ones are linked behind each other.
// Segments come from one bounded pool by a lock-free list: writers never wait for each other nor for the drain.
#include "base/atomic.h"
#include "core/row.h"

namespace btrace {

struct Segment {
  static constexpr u32 kBytes = 4096;
  static constexpr u32 kRows = (kBytes - 16) / sizeof(Row);

  Atomic<u32> committed;  // rows that may be read
  Atomic<u32> next;       // number of the segment behind this one; 0: none yet
  u32 free_next;          // in the pool's list
  Row rows[kRows];
};
static_assert(sizeof(Segment) <= Segment::kBytes);

class SegmentPool {
 public:
  // False when the kernel gives no memory.
  bool init(size_t bytes);
  void release();
  // Segment numbers count from 1; 0 says the pool is empty.
  u32 take();
  void give(u32 number);
  Segment& at(u32 number) { return *reinterpret_cast<Segment*>(memory_ + size_t{number - 1} * Segment::kBytes); }
  u32 total() const { return total_; }
  u32 in_use() const { return in_use_.load_relaxed(); }
  size_t touched_bytes() const;

 private:
  u8* memory_;
  u32 total_;
  Atomic<u32> fresh_;  // segments never taken yet, from the front
  Atomic<u64> free_;   // tag << 32 | number: the tag keeps a slow writer from putting back a stale list
  Atomic<u32> in_use_;
};

// A thread's queue of samples: one writer at a time (ThreadRecord::busy), one reader (the drain).
class Shard {
 public:
  void reset() { *this = Shard{}; }
  // False when the pool is empty: the sample is lost and counted by the caller.
  bool push(SegmentPool& pool, const Row& row);
  // Copies what lies behind the cursor, which starts at {}, and leaves it there: the drain may look without taking.
  struct Cursor {
    u32 segment;
    u32 row;
  };
  u32 peek(SegmentPool& pool, Cursor& cursor, Row* rows, u32 limit);
  // Copies what has come since the last call of this, whatever was dropped or popped meanwhile, and leaves it there.
  u32 peek_new(SegmentPool& pool, Row* rows, u32 limit);
  // Drops the first full segment if its last row is older than `before_ns`. Rows dropped, merged ones included.
  u32 drop_older(SegmentPool& pool, i64 before_ns);
  // The end of the oldest row; INT64_MAX when there is none.
  i64 oldest_ns(SegmentPool& pool);
  // Copies what is there, at most `limit` rows, and gives read segments back.
  u32 pop(SegmentPool& pool, Row* rows, u32 limit);
  // Nothing for the reader; only when nobody writes any more.
  bool empty(SegmentPool& pool);
  // Gives all segments back; only when nobody writes any more.
  void drop(SegmentPool& pool);

 private:
  Atomic<u32> first_;  // set by the writer once, moved by the reader
  u32 write_;
  u32 read_row_;
  u32 given_back_;  // segments, since it began
  Cursor seen_;     // how far peek_new has come, and in which of all segments that is
  u32 seen_number_;

  u32 copy(SegmentPool& pool, Cursor& cursor, u32& number, Row* rows, u32 limit);
  void give_first(SegmentPool& pool, u32 number, u32 next);
};

}  // namespace btrace
