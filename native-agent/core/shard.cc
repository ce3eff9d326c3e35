#include "core/shard.h"

#include "base/pages.h"

namespace btrace {

bool SegmentPool::init(size_t bytes) {
  total_ = static_cast<u32>(bytes / Segment::kBytes);
  memory_ = static_cast<u8*>(map_pages(size_t{total_} * Segment::kBytes));
  fresh_.store(0);
  free_.store(0);
  in_use_.store(0);
  return memory_ != nullptr;
}

void SegmentPool::release() {
  if (memory_) unmap_pages(memory_, size_t{total_} * Segment::kBytes);
  memory_ = nullptr;
  total_ = 0;
}

size_t SegmentPool::touched_bytes() const {
  return size_t{min_of(fresh_.load_relaxed(), total_)} * Segment::kBytes;
}

u32 SegmentPool::take() {
  u64 head = free_.load();
  while (u32 number = static_cast<u32>(head)) {
    // Another writer may have taken it meanwhile: then what is read here is stale, and the tag makes the swap fail.
    u32 next = __atomic_load_n(&at(number).free_next, __ATOMIC_RELAXED);
    if (free_.swap_if(head, ((head >> 32) + 1) << 32 | next)) {
      in_use_.add_relaxed(1);
      at(number).committed.store_relaxed(0);
      at(number).next.store_relaxed(0);
      return number;
    }
  }
  u32 fresh = fresh_.load_relaxed();
  while (fresh < total_)
    if (fresh_.swap_if(fresh, fresh + 1)) {
      in_use_.add_relaxed(1);
      return fresh + 1;
    }
  return 0;
}

void SegmentPool::give(u32 number) {
  u64 head = free_.load();
  do __atomic_store_n(&at(number).free_next, static_cast<u32>(head), __ATOMIC_RELAXED);
  while (!free_.swap_if(head, ((head >> 32) + 1) << 32 | number));
  in_use_.subtract(1);
}

bool Shard::push(SegmentPool& pool, const Row& row) {
  if (!write_) {
    u32 first = pool.take();
    if (!first) return false;
    write_ = first;
    first_.store_release(first);
  }
  Segment* segment = &pool.at(write_);
  u32 at = segment->committed.load_relaxed();
  if (at == Segment::kRows) {
    u32 number = pool.take();
    if (!number) return false;
    Segment& fresh = pool.at(number);
    fresh.rows[0] = row;
    fresh.committed.store_relaxed(1);
    write_ = number;
    // From here the reader may give the old segment back: it is not touched again.
    segment->next.store_release(number);
    return true;
  }
  segment->rows[at] = row;
  segment->committed.store_release(at + 1);
  return true;
}

u32 Shard::pop(SegmentPool& pool, Row* rows, u32 limit) {
  u32 count = 0;
  u32 number = first_.load_acquire();
  while (number && count < limit) {
    Segment& segment = pool.at(number);
    u32 committed = segment.committed.load_acquire();
    while (read_row_ < committed && count < limit) rows[count++] = segment.rows[read_row_++];
    if (read_row_ < Segment::kRows) break;
    u32 next = segment.next.load_acquire();
    if (!next) break;
    give_first(pool, number, next);
    number = next;
  }
  return count;
}

u32 Shard::copy(SegmentPool& pool, Cursor& cursor, u32& number, Row* rows, u32 limit) {
  u32 count = 0;
  while (cursor.segment && count < limit) {
    Segment& segment = pool.at(cursor.segment);
    u32 committed = segment.committed.load_acquire();
    while (cursor.row < committed && count < limit) rows[count++] = segment.rows[cursor.row++];
    if (cursor.row < Segment::kRows) break;
    u32 next = segment.next.load_acquire();
    if (!next) break;
    cursor = {next, 0};
    number++;
  }
  return count;
}

u32 Shard::peek(SegmentPool& pool, Cursor& cursor, Row* rows, u32 limit) {
  if (!cursor.segment) cursor = {first_.load_acquire(), read_row_};
  u32 number = 0;
  return copy(pool, cursor, number, rows, limit);
}

u32 Shard::peek_new(SegmentPool& pool, Row* rows, u32 limit) {
  // Its segment may have been given back, and taken again by anybody.
  const i32 ahead = static_cast<i32>(seen_number_ - given_back_);
  if (!seen_.segment || ahead < 0 || (ahead == 0 && seen_.row < read_row_)) {
    seen_ = {first_.load_acquire(), read_row_};
    seen_number_ = given_back_;
  }
  return copy(pool, seen_, seen_number_, rows, limit);
}

// The first segment, `number`, has been read.
void Shard::give_first(SegmentPool& pool, u32 number, u32 next) {
  pool.give(number);
  given_back_++;
  first_.store_relaxed(next);
  read_row_ = 0;
}

u32 Shard::drop_older(SegmentPool& pool, i64 before_ns) {
  u32 number = first_.load_acquire();
  if (!number) return 0;
  Segment& segment = pool.at(number);
  u32 next = segment.next.load_acquire();
  const Row& last = segment.rows[Segment::kRows - 1];
  if (!next || last.time_ns + last.duration_ns >= before_ns) return 0;
  u32 dropped = 0;
  for (u32 row = read_row_; row < Segment::kRows; row++) dropped += segment.rows[row].stands_for();
  give_first(pool, number, next);
  return dropped;
}

i64 Shard::oldest_ns(SegmentPool& pool) {
  u32 number = first_.load_acquire();
  if (!number) return INT64_MAX;
  Segment& segment = pool.at(number);
  if (segment.committed.load_acquire() <= read_row_) return INT64_MAX;
  const Row& row = segment.rows[read_row_];
  return row.time_ns + row.duration_ns;
}

bool Shard::empty(SegmentPool& pool) {
  u32 number = first_.load_acquire();
  if (!number) return true;
  Segment& segment = pool.at(number);
  return segment.next.load_acquire() == 0 && segment.committed.load_acquire() == read_row_;
}

void Shard::drop(SegmentPool& pool) {
  for (u32 number = first_.load_acquire(); number;) {
    u32 next = pool.at(number).next.load_acquire();
    pool.give(number);
    number = next;
  }
  reset();
}

}  // namespace btrace
