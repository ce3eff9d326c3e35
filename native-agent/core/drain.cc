#include "core/drain.h"

#include "base/clock.h"
#include "core/blocks.h"
#include "core/capture.h"
#include "os/linux/machine.h"

namespace btrace {

namespace {
constexpr u32 kMaxRuns = 4096;
constexpr u32 kMaxNameBytes = 64 * 1024;

size_t bounded_length(const char* text) {
  return min_of<size_t>(strlen(text), kMaxNameBytes);
}
}  // namespace

bool Drain::init(Session& session, Runtime& runtime) {
  session_ = &session;
  runtime_ = &runtime;
  node_capacity_ = session.stacks.capacity();
  rows_ = map_array<Row>(kBatchRows);
  runs_ = map_array<Run>(kMaxRuns);
  new_nodes_ = map_array<u32>(node_capacity_ * 2);
  node_rows_ = map_array<NodeRow>(node_capacity_ * 2);
  sent_nodes_ = map_array<u64>(node_capacity_ / 32);
  links_ = map_array<Link>(LinkRing::kLinks);
  cpu_at_start_ns_ = clock_ns(kClockProcessCpu);
  if (rows_ && runs_ && new_nodes_ && node_rows_ && sent_nodes_ && links_) return true;
  release();
  return false;
}

void Drain::release() {
  unmap_array(rows_, kBatchRows);
  unmap_array(runs_, kMaxRuns);
  unmap_array(new_nodes_, node_capacity_ * 2);
  unmap_array(node_rows_, node_capacity_ * 2);
  unmap_array(sent_nodes_, node_capacity_ / 32);
  unmap_array(cursors_, cursor_count_);
  unmap_array(links_, LinkRing::kLinks);
  methods_.release();
  classes_.release();
  class_part_.release();
  method_part_.release();
  loss_part_.release();
}

u64 Drain::bytes() const {
  return kBatchRows * sizeof(Row) + methods_.bytes() + classes_.bytes() + class_part_.capacity() +
         method_part_.capacity() + node_capacity_ / 8 + sent_count_ * sizeof(NodeRow) / 16;
}

// ---------------------------------------------------------------- names

u32 Drain::class_id(u64 key) {
  u32* id = classes_.find(key);
  return id ? *id : 0;
}

u32 Drain::add_class(u64 key, const char* name, const char* file) {
  u32 id = next_class_++;
  classes_.insert(key, id);
  Nested entry(class_part_, 1);
  put_field(class_part_, 1, id);
  if (name) put_bytes_field(class_part_, 2, name, bounded_length(name));
  if (file) put_bytes_field(class_part_, 3, file, bounded_length(file));
  return id;
}

void Drain::set_method(u32 class_id, const char* name, const char* signature, MethodKind kind, const LineEntry* lines,
                       u32 line_count) {
  Nested entry(method_part_, 1);
  put_field(method_part_, 1, naming_);
  put_field(method_part_, 2, class_id);
  if (name) put_bytes_field(method_part_, 3, name, bounded_length(name));
  if (signature) put_bytes_field(method_part_, 4, signature, bounded_length(signature));
  put_field(method_part_, 5, static_cast<u64>(kind));
  put_delta_column(method_part_, 6, line_count, Coding::Plain, 0, [&](u32 row) { return lines[row].position; });
  put_delta_column(method_part_, 7, line_count, Coding::Plain, 0, [&](u32 row) { return i64{lines[row].line}; });
}

u32 Drain::method_id(u64 code) {
  if (!code) return 0;
  if (u32* known = methods_.find(code)) return *known;
  u32 id = next_method_++;
  methods_.insert(code, id);
  naming_ = id;
  if (!runtime_->name_method(code, *this)) names_lost_++;
  return id;
}

u32 Drain::type_id(u64 key) {
  if (u32* known = classes_.find(key)) return *known;
  if (!runtime_->name_class(key, *this)) names_lost_++;
  u32* id = classes_.find(key);
  return id ? *id : 0;
}

// ---------------------------------------------------------------- samples

u32 Drain::collect() {
  u32 rows = 0;
  run_count_ = 0;
  u32 slots = g_threads.slots();
  for (u32 i = 0; i < slots && rows < kBatchRows && run_count_ < kMaxRuns; i++) {
    u32 slot = next_slot_ < slots ? next_slot_ : 0;
    ThreadRecord& record = g_threads.at(slot);
    u32 taken = 0;
    if (record.session.load_acquire() == session_->id)
      taken = record.shard.pop(session_->pool, rows_ + rows, kBatchRows - rows);
    if (taken) {
      runs_[run_count_++] = {record.index.load_relaxed(), rows, taken};
      rows += taken;
    }
    if (rows == kBatchRows) break;
    next_slot_ = slot + 1;
  }
  return rows;
}

// Marks a stack and its ancestors for sending, if they have not been sent.
void Drain::note_node(u32 id) {
  while (id) {
    u32 at = id % (node_capacity_ * 2);
    u64 bit = 1ull << (at % 64);
    if (sent_nodes_[at / 64] & bit) return;
    sent_nodes_[at / 64] |= bit;
    new_nodes_[new_node_count_++] = id;
    id = session_->stacks.at(id).parent;
  }
}

namespace {

// Ids come nearly sorted in short runs: a shell sort needs no memory and no recursion.
void sort_ids(u32* ids, u32 count) {
  for (u32 gap = count / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11)
    for (u32 i = gap; i < count; i++) {
      u32 id = ids[i];
      u32 at = i;
      for (; at >= gap && ids[at - gap] > id; at -= gap) ids[at] = ids[at - gap];
      ids[at] = id;
    }
}

}  // namespace

bool Drain::cut_samples(Bytes& out) {
  u32 rows = collect();
  if (!rows) return false;
  cut_rows(out, rows);
  return true;
}

void Drain::cut_rows(Bytes& out, u32 rows) {
  new_node_count_ = 0;
  for (u32 row = 0; row < rows; row++) note_node(rows_[row].stack);
  sort_ids(new_nodes_, new_node_count_);
  for (u32 i = 0; i < new_node_count_; i++) {
    const Node node = session_->stacks.at(new_nodes_[i]);
    node_rows_[i] = {new_nodes_[i], node.parent, i64{method_id(node.code)}, i64{node.position}};
  }
  sent_count_ += new_node_count_;
  for (u32 row = 0; row < rows; row++)
    if (rows_[row].type) type_id(rows_[row].type);

  cut_threads(out);
  cut_names(out);
  if (new_node_count_) {
    size_t begin = begin_chunk(out);
    put_nodes(out, node_rows_, new_node_count_);
    end(out, begin, ChunkKind::Nodes);
  }
  size_t begin = begin_chunk(out);
  for (u32 i = 0; i < run_count_; i++) put_run(out, runs_[i]);
  end(out, begin, ChunkKind::Samples);
}

// ---------------------------------------------------------------- the ring

void Drain::begin_dump(i64 from_ns) {
  unmap_array(cursors_, cursor_count_);
  cursor_count_ = g_threads.slots();
  cursors_ = map_array<Shard::Cursor>(max_of(cursor_count_, 1u));
  dump_from_ns_ = from_ns;
}

u32 Drain::collect_dump() {
  u32 rows = 0;
  run_count_ = 0;
  for (u32 slot = 0; cursors_ && slot < cursor_count_ && rows < kBatchRows && run_count_ < kMaxRuns; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.session.load_acquire() != session_->id) continue;
    u32 begin = rows;
    // Rows before the asked time are looked at and left out.
    while (u32 seen = record.shard.peek(session_->pool, cursors_[slot], rows_ + rows, kBatchRows - rows)) {
      u32 kept = rows;
      for (u32 row = rows; row < rows + seen; row++)
        if (rows_[row].time_ns + rows_[row].duration_ns >= dump_from_ns_) rows_[kept++] = rows_[row];
      rows = kept;
    }
    if (rows > begin) runs_[run_count_++] = {record.index.load_relaxed(), begin, rows - begin};
  }
  return rows;
}

bool Drain::cut_dump(Bytes& out) {
  u32 rows = collect_dump();
  if (rows) cut_rows(out, rows);
  return rows != 0;
}

void Drain::trim(i64 now_ns) {
  i64 before_ns = session_->since_origin(now_ns) - session_->config.ring_ns;
  SegmentPool& pool = session_->pool;
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.session.load_acquire() != session_->id) continue;
    while (u32 dropped = record.shard.drop_older(pool, before_ns)) overwritten_ += dropped;
    // A thread that has ended gives its last, half-filled segment back as well.
    bool ended = record.state.load_acquire() == ThreadRecord::State::Ended;
    if (ended && !record.has_pending.load_relaxed() && record.shard.oldest_ns(pool) < before_ns)
      while (u32 rows = record.shard.pop(pool, rows_, kBatchRows)) overwritten_ += rows;
  }
  // Room for the next round: the oldest go first, whoever they belong to.
  while (pool.in_use() > pool.total() / 8 * 7) {
    ThreadRecord* oldest = nullptr;
    i64 oldest_ns = INT64_MAX;
    for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
      ThreadRecord& record = g_threads.at(slot);
      if (record.session.load_acquire() != session_->id) continue;
      i64 time_ns = record.shard.oldest_ns(pool);
      if (time_ns >= oldest_ns) continue;
      oldest = &record;
      oldest_ns = time_ns;
    }
    if (!oldest) return;
    u32 dropped = oldest->shard.drop_older(pool, INT64_MAX);
    if (!dropped) dropped = oldest->shard.pop(pool, rows_, kBatchRows);
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
    if (record.session.load_acquire() == session_->id && record.has_pending.load_relaxed() &&
        session_->stacks.epoch_of(record.pending_stack.load_relaxed()) != session_->stacks.epoch())
      return false;
  }
  return true;
}

void Drain::drop_epochs_before(u32 epoch) {
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.session.load_acquire() != session_->id) continue;
    Row row;
    for (Shard::Cursor cursor{}; record.shard.peek(session_->pool, cursor, &row, 1); cursor = {}) {
      if (row.stack && session_->stacks.epoch_of(row.stack) >= epoch) break;
      overwritten_ += record.shard.pop(session_->pool, &row, 1);
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

// A block holds rows with the same counters: a run is split where they change.
void Drain::put_run(Bytes& out, const Run& run) {
  const Row* rows = rows_ + run.begin;
  for (u32 begin = 0; begin < run.count;) {
    u32 end = begin + 1;
    while (end < run.count && rows[end].counters == rows[begin].counters) end++;
    put_sample_block(out, run.thread, rows + begin, end - begin, [this](u64 key) { return type_id(key); });
    begin = end;
  }
}

void Drain::cut_names(Bytes& out) {
  if (class_part_.size()) {
    size_t begin = begin_chunk(out);
    out.append(class_part_.data(), class_part_.size());
    end(out, begin, ChunkKind::Classes);
    class_part_.clear();
  }
  if (method_part_.size()) {
    size_t begin = begin_chunk(out);
    out.append(method_part_.data(), method_part_.size());
    end(out, begin, ChunkKind::Methods);
    method_part_.clear();
  }
}

void Drain::flush(i64 age_ns) {
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.session.load_acquire() != session_->id || !record.has_pending.load_relaxed()) continue;
    bool ended = record.state.load_acquire() == ThreadRecord::State::Ended;
    flush_pending(*session_, record, ended ? 0 : age_ns);
  }
}

void Drain::cut_links(Bytes& out) {
  u32 count = 0;
  while (count < LinkRing::kLinks && session_->links->pop(links_[count])) count++;
  if (!count) return;
  size_t begin = begin_chunk(out);
  constexpr Coding kPlain = Coding::Plain;
  put_column(out, 1, count, kPlain, [&](u32 row) { return i64{links_[row].waiter}; });
  put_delta_column(out, 2, count, kPlain, 0, [&](u32 row) { return links_[row].waiter_time_ns; });
  put_column(out, 3, count, kPlain, [&](u32 row) { return i64{links_[row].waker}; });
  put_delta_column(out, 4, count, kPlain, 0, [&](u32 row) { return links_[row].waker_time_ns; });
  put_column(out, 5, count, Coding::Sparse, [&](u32 row) { return static_cast<i64>(links_[row].certainty); });
  end(out, begin, ChunkKind::Links);
}

// ---------------------------------------------------------------- threads and losses

void Drain::put_thread(Bytes& out, ThreadRecord& record) {
  static constexpr i64 kUnknown = 0;
  ThreadDescription thread{};
  thread.kind = record.kind;
  thread.is_main = record.is_main;
  runtime_->describe_thread(record, thread);
  Nested entry(out, 1);
  put_field(out, 1, record.index.load_relaxed());
  put_field(out, 2, record.tid.load_relaxed());
  put_field(out, 3, thread.java_id);
  put_field(out, 4, static_cast<u64>(thread.kind));
  put_text_field(out, 5, thread.name);
  i64 begin_ns = record.begin_ns.load_relaxed();
  i64 end_ns = record.end_ns.load_relaxed();
  put_signed_field(out, 6, begin_ns > session_->origin_ns ? session_->since_origin(begin_ns) : kUnknown);
  put_signed_field(out, 7, end_ns > session_->origin_ns ? session_->since_origin(end_ns) : kUnknown);
  put_field(out, 8, record.creator.load_relaxed());
  put_field(out, 9, thread.is_main);
}

void Drain::cut_threads(Bytes& out) {
  size_t begin = begin_chunk(out);
  size_t empty = out.size();
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.session.load_acquire() != session_->id || record.announced_session == session_->id) continue;
    record.announced_session = session_->id;
    put_thread(out, record);
  }
  if (out.size() == empty)
    out.truncate(begin);
  else
    end(out, begin, ChunkKind::Threads);
}

// Says the last of threads that have ended and lets go of their records.
void Drain::retire_threads(Bytes& out) {
  size_t begin = begin_chunk(out);
  size_t empty = out.size();
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.state.load_acquire() != ThreadRecord::State::Ended) continue;
    bool ours = record.session.load_acquire() == session_->id;
    if (ours && (record.has_pending.load_relaxed() || !record.shard.empty(session_->pool)))
      continue;  // the next rounds take it
    if (ours) {
      if (record.announced_session == session_->id || record.index.load_relaxed()) put_thread(out, record);
      put_losses_of(record);
      record.shard.drop(session_->pool);
      record.session.store_release(0);
    }
    runtime_->forget_thread(record);
    g_threads.release(record);
  }
  if (out.size() == empty)
    out.truncate(begin);
  else
    end(out, begin, ChunkKind::Threads);
}

void Drain::forget_threads() {
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    ThreadRecord::State state = record.state.load_acquire();
    if (state == ThreadRecord::State::Free) continue;
    runtime_->forget_thread(record);
    if (state == ThreadRecord::State::Ended) g_threads.release(record);
  }
  g_threads.release_unbound();
}

void Drain::put_loss(u32 thread, u64 count, LossReason reason) {
  Nested entry(loss_part_, 1);
  put_field(loss_part_, 1, thread);
  put_signed_field(loss_part_, 2, losses_told_ns_);
  put_signed_field(loss_part_, 3, session_->since_origin(now_ns()));
  put_field(loss_part_, 4, count);
  put_field(loss_part_, 5, static_cast<u64>(reason));
  bool sample_lost =
      reason != LossReason::NameUnloaded && reason != LossReason::StackTableFull && reason != LossReason::Overwritten;
  if (sample_lost) dropped_ += count;
}

void Drain::put_losses_of(ThreadRecord& record) {
  for (u32 reason = 0; reason < kLossReasons; reason++) {
    u32 lost = record.lost[reason].load_relaxed();
    u32 fresh = lost - record.counted_lost[reason];
    record.counted_lost[reason] = lost;
    if (fresh) put_loss(record.index.load_relaxed(), fresh, static_cast<LossReason>(reason));
  }
}

void Drain::cut_losses(Bytes& out) {
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.session.load_acquire() == session_->id) put_losses_of(record);
  }
  if (overwritten_ != overwritten_told_) put_loss(0, overwritten_ - overwritten_told_, LossReason::Overwritten);
  overwritten_told_ = overwritten_;
  u64 links_lost = session_->links_lost.load_relaxed();
  if (links_lost != links_lost_told_) put_loss(0, links_lost - links_lost_told_, LossReason::BufferFull);
  links_lost_told_ = links_lost;
  u32 refused = g_threads.refused();
  if (refused != refused_told_) put_loss(0, refused - refused_told_, LossReason::ThreadTableFull);
  refused_told_ = refused;
  if (names_lost_ != names_lost_told_) put_loss(0, names_lost_ - names_lost_told_, LossReason::NameUnloaded);
  names_lost_told_ = names_lost_;
  losses_told_ns_ = session_->since_origin(now_ns());
  if (!loss_part_.size()) return;
  size_t begin = begin_chunk(out);
  out.append(loss_part_.data(), loss_part_.size());
  end(out, begin, ChunkKind::Losses);
  loss_part_.clear();
}

// ---------------------------------------------------------------- what frames a recording

void Drain::cut_welcome(Bytes& out, const u8* token, size_t size) {
  size_t begin = begin_chunk(out);
  put_bytes_field(out, 1, token, size);
  put_field(out, 2, sys::getpid());
  end(out, begin, ChunkKind::Welcome);
}

void Drain::cut_header(Bytes& out, const char* agent_version) {
  TargetDescription target{};
  runtime_->describe(target);
  size_t begin = begin_chunk(out);
  put_field(out, 1, kFormatMajor);
  put_field(out, 2, kFormatMinor);
  {
    Nested part(out, 3);
    put_text_field(out, 1, target.name);
    put_field(out, 2, sys::getpid());
    put_text_field(out, 3, target.runtime);
    put_text_field(out, 4, target.os[0] ? target.os : "linux");
    put_text_field(out, 5, kArchitecture);
    put_text_field(out, 6, target.device);
    put_field(out, 7, sys::getuid());
    put_field(out, 8, 4096);
    put_field(out, 9, processor_count());
  }
  {
    Nested part(out, 4);
    put_field(out, 1, static_cast<u64>(session_->origin_ns));
    put_field(out, 2, static_cast<u64>(session_->origin_boottime_ns));
    put_field(out, 3, static_cast<u64>(session_->origin_realtime_ns));
  }
  {
    Nested part(out, 5);
    put_config(out, session_->config);
  }
  put_text_field(out, 6, agent_version);
  put_text_field(out, 8, runtime_->mode_reason());
  end(out, begin, ChunkKind::Header);
}

void Drain::cut_hooks(Bytes& out) {
  session_->hooks_changed.store(0);
  size_t begin = begin_chunk(out);
  for (u32 i = 0; i < session_->hook_count; i++) {
    const HookReport& hook = session_->hooks[i];
    Nested entry(out, 1);
    put_text_field(out, 1, hook.name);
    put_field(out, 2, static_cast<u64>(hook.state));
    put_text_field(out, 3, hook.why);
  }
  end(out, begin, ChunkKind::Hooks);
}

void Drain::cut_status(Bytes& out, u64 bytes_sent, u64 held_elsewhere, i64 agent_cpu_ns) {
  size_t begin = begin_chunk(out);
  Totals totals = this->totals();
  put_signed_field(out, 1, session_->since_origin(now_ns()));
  put_field(out, 2, totals.captures + session_->repeats.load_relaxed());
  put_field(out, 3, dropped_);
  put_field(out, 4, bytes_sent);
  put_field(out, 5, held_bytes(*session_) + bytes() + held_elsewhere);
  put_field(out, 6, capture_ns());
  put_field(out, 7, static_cast<u64>(max_of<i64>(clock_ns(kClockProcessCpu) - cpu_at_start_ns_, 0)));
  for (u32 kind = 0; kind < kSampleKinds; kind++) {
    CostHistogram& cost = session_->costs[kind];
    u64 count = cost.count();
    if (!count) continue;
    Nested entry(out, 8);
    put_field(out, 1, kind);
    put_field(out, 2, count);
    put_field(out, 3, cost.total_ns.load_relaxed());
    u32 last = CostHistogram::kBuckets;
    while (last && !cost.buckets[last - 1].load_relaxed()) last--;
    Nested buckets(out, 4);
    for (u32 i = 0; i < last; i++) put_varint(out, cost.buckets[i].load_relaxed());
  }
  put_field(out, 9, effective_interval_ns(totals));
  put_field(out, 10, static_cast<u64>(agent_cpu_ns));
  end(out, begin, ChunkKind::Status);
}

Drain::Totals Drain::totals() const {
  Totals totals{};
  for (const CostHistogram& cost : session_->costs) {
    totals.captures += cost.count();
    totals.capture_ns += cost.total_ns.load_relaxed();
  }
  return totals;
}

// What the budget makes of the interval, by the mean cost of the captures since the last time.
u64 Drain::effective_interval_ns(const Totals& totals) {
  u64 captures = totals.captures - told_.captures;
  if (captures) mean_cost_ns_ = (totals.capture_ns - told_.capture_ns) / captures;
  told_ = totals;
  u64 interval = static_cast<u64>(session_->interval_ns());
  u64 budget = session_->config.budget_ppm;
  return budget ? max_of(interval, mean_cost_ns_ * 1000000 / budget) : interval;
}

void Drain::cut_goodbye(Bytes& out, EndReason reason, const char* detail) {
  size_t begin = begin_chunk(out);
  put_field(out, 1, static_cast<u64>(reason));
  put_text_field(out, 2, detail);
  end(out, begin, ChunkKind::Goodbye);
}

}  // namespace btrace
