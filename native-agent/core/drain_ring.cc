// What the drain does so that a recording may last: the ring that keeps the newest, and stack tables that take turns.
#include "core/drain.h"

namespace btrace {

// ---------------------------------------------------------------- the ring

void Drain::begin_dump(i64 from_ns) {
  unmap_array(cursors_, cursor_count_);
  cursor_count_ = g_threads.slots();
  cursors_ = map_array<Shard::Cursor>(max_of(cursor_count_, 1u));
  dump_from_ns_ = from_ns;
}

u32 Drain::collect_dump() {
  u32 rows = 0;
  run_count_ = wait_count_ = 0;
  for (u32 slot = 0; cursors_ && slot < cursor_count_ && run_count_ < kMaxRuns; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.session.load_acquire() != session_->id) continue;
    u32 begin = rows;
    u32 thread = record.index.load_relaxed();
    // Rows before the asked time are looked at and left out.
    while (u32 seen =
               record.held.shard.peek(session_->pool, cursors_[slot], rows_ + rows, kBatchRows - rows - wait_count_)) {
      u32 kept = rows;
      for (u32 row = rows; row < rows + seen; row++)
        if (rows_[row].time_ns + rows_[row].duration_ns >= dump_from_ns_) rows_[kept++] = rows_[row];
      rows += take_out_off_carrier_waits(thread, rows, kept - rows);
    }
    if (rows > begin) runs_[run_count_++] = {thread, begin, rows - begin};
  }
  return rows;
}

bool Drain::cut_dump(Bytes& out) {
  u32 rows = collect_dump();
  if (!rows && !wait_count_) return false;
  cut_rows(out, rows);
  return true;
}

u32 Drain::collect_kept() {
  u32 rows = 0;
  run_count_ = wait_count_ = 0;
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots && run_count_ < kMaxRuns; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.session.load_acquire() != session_->id) continue;
    const u32 begin = rows;
    const u32 thread = record.index.load_relaxed();
    while (u32 seen = record.held.shard.peek_new(session_->pool, rows_ + rows, kBatchRows - rows - wait_count_))
      rows += take_out_off_carrier_waits(thread, rows, seen);
    if (rows > begin) runs_[run_count_++] = {thread, begin, rows - begin};
  }
  return rows;
}

bool Drain::cut_kept(Bytes& out) {
  const u32 rows = collect_kept();
  if (!rows && !wait_count_) return false;
  cut_rows(out, rows, ChunkKind::RingSamples, ChunkKind::RingOffCarrierWaits);
  return true;
}

void Drain::trim(i64 now_ns) {
  i64 before_ns = session_->since_origin(now_ns) - session_->config.ring_ns;
  SegmentPool& pool = session_->pool;
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.session.load_acquire() != session_->id) continue;
    while (u32 dropped = record.held.shard.drop_older(pool, before_ns)) overwritten_ += dropped;
    // A thread that has ended gives its last, half-filled segment back as well.
    bool ended = record.state.load_acquire() == ThreadRecord::State::Ended;
    if (ended && !record.held.has_pending.load_relaxed() && record.held.shard.oldest_ns(pool) < before_ns)
      while (u32 rows = record.held.shard.pop(pool, rows_, kBatchRows)) overwritten_ += rows;
  }
  // Room for the next round: the oldest go first, whoever they belong to.
  while (pool.in_use() > pool.total() / 8 * 7) {
    ThreadRecord* oldest = nullptr;
    i64 oldest_ns = INT64_MAX;
    for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
      ThreadRecord& record = g_threads.at(slot);
      if (record.session.load_acquire() != session_->id) continue;
      i64 time_ns = record.held.shard.oldest_ns(pool);
      if (time_ns >= oldest_ns) continue;
      oldest = &record;
      oldest_ns = time_ns;
    }
    if (!oldest) return;
    u32 dropped = oldest->held.shard.drop_older(pool, INT64_MAX);
    if (!dropped) dropped = oldest->held.shard.pop(pool, rows_, kBatchRows);
    overwritten_ += dropped;
  }
}

// ---------------------------------------------------------------- stack tables that take turns

// True when no capture that began before now is still under way, and no row waits in a record.
bool Drain::others_done() {
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    Holder holder = record.busy.load();
    if (holder == Holder::Thread || holder == Holder::Agent) return false;
    if (record.session.load_acquire() == session_->id && record.held.has_pending.load_relaxed() &&
        session_->stacks.epoch_of(record.held.pending_stack.load_relaxed()) != session_->stacks.epoch())
      return false;
  }
  return true;
}

void Drain::drop_epochs_before(u32 epoch) {
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.session.load_acquire() != session_->id) continue;
    Row row;
    for (Shard::Cursor cursor{}; record.held.shard.peek(session_->pool, cursor, &row, 1); cursor = {}) {
      if (row.stack && session_->stacks.epoch_of(row.stack) >= epoch) break;
      overwritten_ += record.held.shard.pop(session_->pool, &row, 1);
    }
  }
}

void Drain::turn_stacks(bool drained) {
  StackTables& stacks = session_->stacks;
  bool ring = session_->config.policy == Policy::Ring;
  if (!quiet_) {
    // Captures that were under way at the turn may still bring nodes of the other table: first they end …
    if (!(quiet_ = others_done())) flush(0);
  } else if (!other_clean_) {
    // … then what they brought is drained.
    if (ring && stacks.nearly_full()) drop_epochs_before(stacks.epoch());
    other_clean_ = ring ? stacks.nearly_full() : drained;
  }
  if (!other_clean_ || !stacks.nearly_full() || !stacks.may_turn()) return;
  stacks.turn();
  other_clean_ = quiet_ = false;
  size_t words = node_capacity_ / 64;
  memset(sent_nodes_ + stacks.epoch() % 2 * words, 0, words * sizeof *sent_nodes_);
}

}  // namespace btrace
