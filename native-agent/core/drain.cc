#include "core/drain.h"

#include "base/clock.h"
#include "core/sample_block.h"
#include "core/capture.h"

namespace btrace {

bool Drain::init(Session& session, Runtime& runtime) {
  session_ = &session;
  runtime_ = &runtime;
  node_capacity_ = session.stacks.capacity();
  rows_ = map_array<Row>(kBatchRows);
  runs_ = map_array<Run>(kMaxRuns);
  waits_ = map_array<OffCarrierWaitRow>(kBatchRows);
  new_nodes_ = map_array<u32>(node_capacity_ * 2);
  node_rows_ = map_array<NodeRow>(node_capacity_ * 2);
  sent_nodes_ = map_array<u64>(node_capacity_ / 32);
  links_ = map_array<Link>(LinkRing::kLinks);
  cpu_at_start_ns_ = clock_ns(kClockProcessCpu);
  refused_told_ = g_threads.refused();
  functions_.init();
  if (rows_ && runs_ && waits_ && new_nodes_ && node_rows_ && sent_nodes_ && links_ && load_.init()) return true;
  release();
  return false;
}

void Drain::release() {
  unmap_array(rows_, kBatchRows);
  unmap_array(runs_, kMaxRuns);
  unmap_array(waits_, kBatchRows);
  unmap_array(new_nodes_, node_capacity_ * 2);
  unmap_array(node_rows_, node_capacity_ * 2);
  unmap_array(sent_nodes_, node_capacity_ / 32);
  unmap_array(cursors_, cursor_count_);
  unmap_array(links_, LinkRing::kLinks);
  load_.release();
  methods_.release();
  classes_.release();
  class_part_.release();
  method_part_.release();
  image_part_.release();
  function_part_.release();
  functions_.release();
  loss_part_.release();
  call_part_.release();
  told_functions_.release();
}

u64 Drain::bytes() const {
  return kBatchRows * sizeof(Row) + methods_.bytes() + classes_.bytes() + class_part_.capacity() +
         method_part_.capacity() + image_part_.capacity() + function_part_.capacity() + functions_.bytes() +
         node_capacity_ / 8 + sent_count_ * sizeof(NodeRow) / 16;
}

// ---------------------------------------------------------------- samples

// Takes what is no sample of the thread out of the rows from `begin` on. How many are left.
u32 Drain::take_out_off_carrier_waits(u32 thread, u32 begin, u32 count) {
  u32 kept = begin;
  for (u32 at = begin; at < begin + count; at++) {
    const Row& row = rows_[at];
    if (row.kind == SampleKind::OffCarrierWait)
      waits_[wait_count_++] = {row.time_ns, row.duration_ns, row.object, row.peer,
                               thread,      row.loop_message,     row.stack,  row.flags};
    else if (kept++ != at)
      rows_[kept - 1] = row;
  }
  return kept - begin;
}

u32 Drain::collect() {
  u32 rows = 0;
  run_count_ = wait_count_ = 0;
  u32 slots = g_threads.slots();
  for (u32 i = 0; i < slots && rows + wait_count_ < kBatchRows && run_count_ < kMaxRuns; i++) {
    u32 slot = next_slot_ < slots ? next_slot_ : 0;
    ThreadRecord& record = g_threads.at(slot);
    u32 taken = 0;
    u32 thread = record.index.load_relaxed();
    if (record.session.load_acquire() == session_->id)
      taken = record.held.shard.pop(session_->pool, rows_ + rows, kBatchRows - rows - wait_count_);
    if (u32 kept = take_out_off_carrier_waits(thread, rows, taken)) {
      runs_[run_count_++] = {thread, rows, kept};
      rows += kept;
    }
    if (rows + wait_count_ == kBatchRows) break;
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
  if (!rows && !wait_count_) return false;
  cut_rows(out, rows);
  return true;
}

void Drain::cut_rows(Bytes& out, u32 rows, ChunkKind samples, ChunkKind waits) {
  new_node_count_ = 0;
  for (u32 row = 0; row < rows; row++) note_node(rows_[row].stack);
  for (u32 row = 0; row < wait_count_; row++) note_node(waits_[row].stack);
  for (u32 row = 0; row < rows; row++)
    if (rows_[row].type) type_id(rows_[row].type);
  cut_nodes(out);
  if (rows) {
    size_t begin = begin_chunk(out);
    for (u32 i = 0; i < run_count_; i++) put_run(out, runs_[i]);
    end(out, begin, samples);
  }
  if (wait_count_) {
    size_t begin = begin_chunk(out);
    put_off_carrier_waits(out, waits_, wait_count_);
    end(out, begin, waits);
  }
}

void Drain::cut_nodes(Bytes& out) {
  sort_ids(new_nodes_, new_node_count_);
  for (u32 i = 0; i < new_node_count_; i++) {
    const Node node = session_->stacks.at(new_nodes_[i]);
    if (node.is_native() && session_->images.at(node.image()).header &&
        functions_.note(node.image(), session_->images.at(node.image()).base + node.code))
      put_functions();
    node_rows_[i] = node.is_native()
                        ? NodeRow{new_nodes_[i], node.parent, static_cast<i64>(node.code), 0, image_id(node.image())}
                        : NodeRow{new_nodes_[i], node.parent, i64{method_id(node.code)}, i64{node.position}, 0};
  }
  sent_count_ += new_node_count_;

  put_functions();
  cut_threads(out);
  cut_names(out);
  if (new_node_count_) {
    size_t begin = begin_chunk(out);
    put_nodes(out, node_rows_, new_node_count_);
    end(out, begin, ChunkKind::Nodes);
  }
}

// A sample block holds rows with the same counters: a run is split where they change.
void Drain::put_run(Bytes& out, const Run& run) {
  const Row* rows = rows_ + run.begin;
  for (u32 begin = 0; begin < run.count;) {
    u32 end = begin + 1;
    while (end < run.count && rows[end].counters == rows[begin].counters) end++;
    put_sample_block(out, run.thread, rows + begin, end - begin, [this](u64 key) { return type_id(key); });
    begin = end;
  }
}

void Drain::flush(i64 age_ns) {
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.session.load_acquire() != session_->id || !record.held.has_pending.load_relaxed()) continue;
    bool ended = record.state.load_acquire() == ThreadRecord::State::Ended;
    flush_pending(*session_, record, ended ? 0 : age_ns);
  }
}

void Drain::cut_links(Bytes& out) {
  u32 count = 0;
  while (count < LinkRing::kLinks && g_links.pop(links_[count])) count += links_[count].session == session_->id;
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

}  // namespace btrace
