#include "core/drain.h"

#include "base/clock.h"
#include "core/blocks.h"
#include "core/capture.h"

namespace btrace {

namespace {
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
  waits_ = map_array<VirtualWaitRow>(kBatchRows);
  new_nodes_ = map_array<u32>(node_capacity_ * 2);
  node_rows_ = map_array<NodeRow>(node_capacity_ * 2);
  sent_nodes_ = map_array<u64>(node_capacity_ / 32);
  links_ = map_array<Link>(LinkRing::kLinks);
  cpu_at_start_ns_ = clock_ns(kClockProcessCpu);
  refused_told_ = g_threads.refused();
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
  loss_part_.release();
}

u64 Drain::bytes() const {
  return kBatchRows * sizeof(Row) + methods_.bytes() + classes_.bytes() + class_part_.capacity() +
         method_part_.capacity() + image_part_.capacity() + node_capacity_ / 8 + sent_count_ * sizeof(NodeRow) / 16;
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

u32 Drain::image_id(u32 number) {
  u32& id = image_ids_[number];
  if (id) return id;
  id = next_image_++;
  const Image& image = session_->images.at(number);
  Nested entry(image_part_, 1);
  put_field(image_part_, 1, id);
  put_bytes_field(image_part_, 2, image.path, strlen(image.path));
  put_bytes_field(image_part_, 3, image.build_id, image.build_id_size);
  put_field(image_part_, 4, image.base);
  put_field(image_part_, 5, image.end - image.begin);
  return id;
}

u32 Drain::type_id(u64 key) {
  if (u32* known = classes_.find(key)) return *known;
  if (!runtime_->name_class(key, *this)) names_lost_++;
  u32* id = classes_.find(key);
  return id ? *id : 0;
}

// ---------------------------------------------------------------- samples

// Takes what is no sample of the thread out of the rows from `begin` on. How many are left.
u32 Drain::set_waits_aside(u32 thread, u32 begin, u32 count) {
  u32 kept = begin;
  for (u32 at = begin; at < begin + count; at++) {
    const Row& row = rows_[at];
    if (row.kind == SampleKind::VirtualWait)
      waits_[wait_count_++] = {row.time_ns, row.duration_ns, row.object, row.peer,
                               thread,      row.message,     row.stack,  row.flags};
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
      taken = record.shard.pop(session_->pool, rows_ + rows, kBatchRows - rows - wait_count_);
    if (u32 kept = set_waits_aside(thread, rows, taken)) {
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

void Drain::cut_rows(Bytes& out, u32 rows) {
  new_node_count_ = 0;
  for (u32 row = 0; row < rows; row++) note_node(rows_[row].stack);
  for (u32 row = 0; row < wait_count_; row++) note_node(waits_[row].stack);
  sort_ids(new_nodes_, new_node_count_);
  for (u32 i = 0; i < new_node_count_; i++) {
    const Node node = session_->stacks.at(new_nodes_[i]);
    node_rows_[i] = node.is_native()
                        ? NodeRow{new_nodes_[i], node.parent, static_cast<i64>(node.code), 0, image_id(node.image())}
                        : NodeRow{new_nodes_[i], node.parent, i64{method_id(node.code)}, i64{node.position}, 0};
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
  if (rows) {
    size_t begin = begin_chunk(out);
    for (u32 i = 0; i < run_count_; i++) put_run(out, runs_[i]);
    end(out, begin, ChunkKind::Samples);
  }
  if (wait_count_) {
    size_t begin = begin_chunk(out);
    put_virtual_waits(out, waits_, wait_count_);
    end(out, begin, ChunkKind::VirtualWaits);
  }
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
  if (image_part_.size()) {
    size_t begin = begin_chunk(out);
    out.append(image_part_.data(), image_part_.size());
    end(out, begin, ChunkKind::Images);
    image_part_.clear();
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
  while (count < LinkRing::kLinks && g_links.pop(links_[count])) count++;
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
