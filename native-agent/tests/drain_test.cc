// From captures to chunks and back: what a reader would see.
#include "core/drain.h"

#include <atomic>
#include <map>
#include <thread>

#include "base/clock.h"
#include "core/capture.h"
#include "fake_runtime.h"
#include "harness.h"

using namespace btrace;

namespace {

std::vector<i64> entries(const FieldReader& field) {
  std::vector<i64> values;
  const u8* at = field.bytes();
  const u8* end = at + field.size();
  for (u64 value; at != end && get_varint(at, end, value);) values.push_back(unzigzag(value));
  return values;
}

std::vector<i64> sparse(const std::vector<i64>& coded, size_t rows) {
  std::vector<i64> values;
  for (size_t i = 0; i < coded.size(); i++) {
    values.push_back(coded[i]);
    if (!coded[i]) values.insert(values.end(), static_cast<size_t>(coded.at(++i)), 0);
  }
  values.resize(rows);
  return values;
}

// Keeps what it has read: names and nodes hold for the rest of the recording.
struct Reader {
  struct KnownNode {
    u32 parent;
    u32 method;
  };
  std::map<u32, KnownNode> nodes;
  std::map<u32, std::string> methods;
  std::vector<std::vector<std::string>> stacks;  // of each sample, root first
  u64 table_full = 0, overwritten = 0, names_lost = 0;

  void read(Bytes& out) {
    const u8* at = out.data();
    size_t left = out.size();
    ChunkView chunk{};
    for (size_t used; left && parse_chunk(at, left, chunk, used) == ChunkResult::Complete; at += used, left -= used) {
      if (chunk.kind == ChunkKind::Nodes) read_nodes(chunk);
      FieldReader message(chunk.payload, chunk.size);
      while (message.next()) {
        if (!message.is_bytes()) continue;
        FieldReader part(message.bytes(), message.size());
        if (chunk.kind == ChunkKind::Methods) read_method(part);
        if (chunk.kind == ChunkKind::Samples) read_published_wait(part);
        if (chunk.kind == ChunkKind::Losses) read_loss(part);
      }
    }
    CHECK_EQUAL(left, size_t{0});
    out.clear();
  }
  void read_nodes(const ChunkView& chunk) {
    u32 first = 0;
    std::vector<i64> ids, parents, frames;
    FieldReader field(chunk.payload, chunk.size);
    while (field.next()) {
      if (field.field() == 1) ids = entries(field);
      if (field.field() == 2) first = static_cast<u32>(field.value());
      if (field.field() == 3) parents = entries(field);
      if (field.field() == 4) frames = entries(field);
    }
    ids = sparse(ids, parents.size());
    i64 id = i64{first} - 1, frame = 0;
    for (size_t row = 0; row < parents.size(); row++) {
      id += ids[row] + 1;
      frame += frames[row];
      auto parent = static_cast<u32>(id - parents[row] - 1);
      CHECK(parent < id && (parent == 0 || nodes.count(parent)));
      CHECK(nodes.emplace(static_cast<u32>(id), KnownNode{parent, static_cast<u32>(frame)}).second);
    }
  }
  void read_method(FieldReader& field) {
    u32 id = 0;
    std::string name;
    while (field.next()) {
      if (field.field() == 1) id = static_cast<u32>(field.value());
      if (field.field() == 3) name.assign(reinterpret_cast<const char*>(field.bytes()), field.size());
    }
    std::string& known = methods[id];
    CHECK(known.empty() || known == "[unloaded]");  // once, but for one that comes back
    known = name;
  }
  void read_published_wait(FieldReader& field) {
    i64 stack = 0;
    while (field.next()) {
      if (field.field() == 10) stack = static_cast<i64>(field.value());
      if (field.field() != 20) continue;
      for (i64 difference : entries(field)) {
        stack += difference;
        std::vector<std::string> frames;
        for (u32 node = static_cast<u32>(stack); node; node = nodes.at(node).parent)
          frames.insert(frames.begin(), methods.at(nodes.at(node).method));
        stacks.push_back(frames);
      }
    }
  }
  void read_loss(FieldReader& field) {
    u64 count = 0, reason = 0;
    while (field.next()) {
      if (field.field() == 4) count = field.value();
      if (field.field() == 5) reason = field.value();
    }
    if (reason == static_cast<u64>(LossReason::StackTableFull)) table_full += count;
    if (reason == static_cast<u64>(LossReason::Overwritten)) overwritten += count;
    if (reason == static_cast<u64>(LossReason::NameUnloaded)) names_lost += count;
  }
};

struct Recording {
  FakeRuntime runtime;
  Drain drain;
  Session* session;
  Bytes out;
  Reader reader;

  explicit Recording(Policy policy, i64 ring_ns = 0) {
    Config config;
    config.sync_interval_ns = 0;
    config.budget_ppm = 0;
    config.memory_bytes = 2 * kMiB;
    config.policy = policy;
    config.ring_ns = ring_ns;
    session = open_session(config);
    CHECK(session && drain.init(*session, runtime));
    activate_session(*session);
  }
  ~Recording() {
    deactivate_session();
    drain.release();
    close_session(*session);
    out.release();
  }
  void capture(u64 number) {
    Capture made;
    CHECK(made.begin(g_threads.current_record(), SampleKind::Allocation, true));
    made.frames()[0] = {1000000 + number, 0};
    made.frames()[1] = {2000 + number % 7, 1};
    made.frames()[2] = {1, 2};
    made.commit(3);
  }
  static std::vector<std::string> expected(u64 number) {
    return {"m1", "m" + std::to_string(2000 + number % 7), "m" + std::to_string(1000000 + number)};
  }
};

TEST("drain: a long recording has more stacks than the table has room for, and every one is right") {
  Recording recording(Policy::Stream);
  u64 capacity = recording.session->stacks.capacity();
  u64 total = capacity * 5;
  for (u64 i = 0; i < total; i++) {
    recording.capture(i);
    if (i % 500) continue;
    bool more = true;
    while ((more = recording.drain.cut_samples(recording.out))) {
    }
    recording.drain.turn_stacks(!more);
    recording.drain.cut_losses(recording.out, true);
    recording.reader.read(recording.out);
  }
  recording.drain.flush(0);
  while (recording.drain.cut_samples(recording.out)) {
  }
  recording.drain.cut_losses(recording.out, true);
  recording.reader.read(recording.out);
  CHECK_EQUAL(recording.reader.table_full, u64{0});
  CHECK_EQUAL(recording.reader.stacks.size(), size_t{total});
  CHECK(recording.session->stacks.epoch() >= 4);
  for (u64 i = 0; i < total; i++) CHECK(recording.reader.stacks[i] == Recording::expected(i));
}

TEST("drain: what was gone when it was to be named is named once it is back, and counts as lost at the end only") {
  Recording recording(Policy::Stream);
  auto drain_and_read = [&](bool ending) {
    recording.drain.flush(0);
    while (recording.drain.cut_samples(recording.out)) {
    }
    recording.drain.cut_missed_names(recording.out);
    recording.drain.cut_losses(recording.out, ending);
    recording.reader.read(recording.out);
  };
  recording.runtime.refuse_names = true;
  recording.capture(3);
  drain_and_read(false);
  const std::vector<std::string> gone(3, "[unloaded]");
  CHECK(recording.reader.stacks.at(0) == gone);
  CHECK_EQUAL(recording.reader.names_lost, u64{0});
  // Its stack is known to the reader already.
  recording.runtime.refuse_names = false;
  recording.capture(3);
  drain_and_read(false);
  recording.capture(3);
  drain_and_read(false);
  CHECK(recording.reader.stacks.at(2) == Recording::expected(3));
  recording.runtime.refuse_names = true;
  for (u64 i = 100; i < 200; i++) recording.capture(i);
  drain_and_read(true);
  // Each has a leaf of its own, and six of their callers are new.
  CHECK_EQUAL(recording.reader.names_lost, u64{106});
}

TEST("drain: a link that comes when its recording is over is no link of the next one") {
  Recording recording(Policy::Stream);
  const u32 session = recording.session->id;
  CHECK(g_links.push({1, 2, 3, 4, LinkCertainty::Observed, session - 1}));
  recording.drain.cut_links(recording.out);
  CHECK_EQUAL(recording.out.size(), size_t{0});
  for (u32 of : {session - 1, session}) CHECK(g_links.push({1, 2, 3, 4, LinkCertainty::Observed, of}));
  recording.drain.cut_links(recording.out);
  ChunkView chunk{};
  size_t used = 0;
  CHECK_EQUAL(parse_chunk(recording.out.data(), recording.out.size(), chunk, used), ChunkResult::Complete);
  CHECK_EQUAL(chunk.kind, ChunkKind::Links);
  FieldReader field(chunk.payload, chunk.size);
  while (field.next())
    if (field.field() == 1) CHECK_EQUAL(entries(field).size(), size_t{1});
}

TEST("drain: a table that cannot turn because nobody drains says what it lost") {
  Recording recording(Policy::Stream);
  for (u64 i = 0; i < u64{recording.session->stacks.capacity()} + 1000; i++) recording.capture(i);
  recording.drain.cut_losses(recording.out, true);
  recording.reader.read(recording.out);
  CHECK(recording.reader.table_full > 0);
}

TEST("ring: it holds the newest within its bound, counts what it drops, and a dump leaves it as it is") {
  Recording recording(Policy::Ring, 3600 * kNsPerSecond);
  constexpr u64 kTotal = 50000;
  for (u64 i = 0; i < kTotal; i++) {
    recording.capture(i % 3000);
    if (i % 100 == 0) recording.drain.trim(now_ns());
  }
  recording.drain.flush(0);
  auto dump = [&] {
    recording.reader.stacks.clear();
    recording.drain.begin_dump(0);
    while (recording.drain.cut_dump(recording.out)) {
    }
    recording.reader.read(recording.out);
    return recording.reader.stacks;
  };
  auto first = dump();
  auto second = dump();
  CHECK(!first.empty() && first == second);
  for (size_t i = 0; i < first.size(); i++)
    CHECK(first[first.size() - 1 - i] == Recording::expected((kTotal - 1 - i) % 3000));
  recording.drain.cut_losses(recording.out, true);
  recording.reader.read(recording.out);
  CHECK_EQUAL(recording.reader.overwritten + first.size(), kTotal);
}

TEST("ring: what is older than its time goes") {
  Recording recording(Policy::Ring, 1);
  for (u64 i = 0; i < 1000; i++) recording.capture(i);
  recording.drain.flush(0);
  recording.drain.trim(now_ns() + kNsPerMs);
  recording.drain.begin_dump(0);
  while (recording.drain.cut_dump(recording.out)) {
  }
  recording.reader.read(recording.out);
  CHECK(recording.reader.stacks.size() <= Segment::kRows);
}

TEST("ring: stack tables turn under it, and what is still there keeps its names") {
  Recording recording(Policy::Ring, 3600 * kNsPerSecond);
  u64 total = u64{recording.session->stacks.capacity()} * 4;
  for (u64 i = 0; i < total; i++) {
    recording.capture(i);
    if (i % 100) continue;
    recording.drain.trim(now_ns());
    recording.drain.turn_stacks(false);
  }
  CHECK(recording.session->stacks.epoch() >= 3);
  recording.drain.flush(0);
  recording.drain.begin_dump(0);
  while (recording.drain.cut_dump(recording.out)) {
  }
  recording.reader.read(recording.out);
  auto& stacks = recording.reader.stacks;
  CHECK(stacks.size() > 100);
  for (size_t i = 0; i < stacks.size(); i++) CHECK(stacks[stacks.size() - 1 - i] == Recording::expected(total - 1 - i));
}

}  // namespace
