// The vectors of docs/FORMAT.md, and the codecs by themselves.
#include <unistd.h>

#include "base/crc32.h"
#include "base/varint.h"
#include "core/sample_block.h"
#include "core/chunk.h"
#include "core/columns.h"
#include "core/config.h"
#include "core/options.h"
#include "harness.h"
#include "json.h"

using namespace btrace;

namespace {

const json::Value& vectors() {
  static const json::Value all = json::read_file(BTRACE_VECTORS);
  return all;
}

std::string hex_of(const Bytes& bytes) {
  return json::to_hex(bytes.data(), bytes.size());
}

TEST("format: columns encode as the vectors say") {
  CHECK(!vectors()["columns"].items.empty());
  for (const auto& vector : vectors()["columns"].items) {
    std::vector<i64> values;
    for (const auto& value : vector["values"].items) values.push_back(std::stoll(value.text));
    const std::string& coding = vector["coding"].text;
    Coding kind = coding.starts_with("sparse") ? Coding::Sparse : Coding::Plain;
    bool delta = coding.ends_with("delta");
    i64 base = std::stoll(vector["base"].text);
    Bytes out;
    put_entries(out, static_cast<u32>(values.size()), kind, [&](u32 row) {
      if (!delta) return values[row];
      return static_cast<i64>(static_cast<u64>(values[row]) - static_cast<u64>(row ? values[row - 1] : base));
    });
    harness::equal(hex_of(out), vector["bytes"].text, vector["name"].text.c_str(), __FILE__, __LINE__);
    out.release();
  }
}

TEST("format: CRC-32 is as the vectors say, whole and in parts") {
  CHECK(!vectors()["crc"].items.empty());
  for (const auto& vector : vectors()["crc"].items) {
    std::string bytes = json::from_hex(vector["bytes"].text);
    auto* data = reinterpret_cast<const u8*>(bytes.data());
    CHECK_EQUAL(crc32(0, data, bytes.size()), static_cast<u32>(vector["crc"].number()));
    for (size_t cut = 0; cut <= bytes.size(); cut++)
      CHECK_EQUAL(crc32(crc32(0, data, cut), data + cut, bytes.size() - cut), static_cast<u32>(vector["crc"].number()));
  }
}

TEST("format: stack nodes encode as the vectors say") {
  std::vector<NodeRow> nodes;
  for (const auto& row : vectors()["nodes"]["rows"].items)
    nodes.push_back({static_cast<u32>(row["id"].number()), static_cast<u32>(row["parent"].number()),
                     row["frame"].number(), row["position"].number() + 1});
  Bytes out;
  put_nodes(out, nodes.data(), static_cast<u32>(nodes.size()));
  CHECK_EQUAL(hex_of(out), vectors()["nodes"]["payload"].text);
  out.release();
}

TEST("format: samples encode as the vectors say") {
  const auto& samples = vectors()["samples"];
  const auto& columns = samples["columns"];
  std::vector<Row> rows(columns["time"].items.size());
  auto fill = [&](const char* name, auto set) {
    if (columns.has(name))
      for (size_t i = 0; i < rows.size(); i++) set(rows[i], columns[name].items[i].number());
  };
  fill("time", [](Row& row, i64 value) { row.time_ns = value; });
  fill("duration", [](Row& row, i64 value) { row.duration_ns = value; });
  fill("cpu", [](Row& row, i64 value) { row.cpu_ns = value; });
  fill("cpu_duration", [](Row& row, i64 value) { row.cpu_duration_ns = value; });
  fill("stack", [](Row& row, i64 value) { row.stack = static_cast<u32>(value); });
  fill("kind", [](Row& row, i64 value) { row.kind = static_cast<SampleKind>(value); });
  fill("merged", [](Row& row, i64 value) { row.merged = static_cast<u32>(value); });
  fill("message", [](Row& row, i64 value) { row.loop_message = static_cast<u32>(value); });
  fill("allocated_bytes", [](Row& row, i64 value) { row.allocated_bytes = static_cast<u64>(value); });
  for (Row& row : rows) row.counters = static_cast<u16>(samples["counters"].number());
  Bytes out;
  put_sample_block(out, static_cast<u32>(samples["thread"].number()), rows.data(), static_cast<u32>(rows.size()),
                   [](u64 key) { return static_cast<u32>(key); });
  CHECK_EQUAL(hex_of(out), samples["payload"].text);
  out.release();
}

TEST("format: chunks are framed and read as the vectors say") {
  for (const auto& vector : vectors()["chunks"].items) {
    std::string payload = json::from_hex(vector["payload"].text);
    Bytes out;
    size_t begin = begin_chunk(out);
    out.append(payload.data(), payload.size());
    auto kind = static_cast<ChunkKind>(vector["kind"].number());
    end_chunk(out, begin, kind, static_cast<u32>(vector["sequence"].number()));
    CHECK_EQUAL(hex_of(out), vector["bytes"].text);

    ChunkView chunk{};
    size_t used = 0;
    for (size_t size = 0; size < out.size(); size++)
      CHECK(parse_chunk(out.data(), size, chunk, used) == ChunkResult::NeedMore);
    CHECK(parse_chunk(out.data(), out.size(), chunk, used) == ChunkResult::Complete);
    CHECK(chunk.kind == kind);
    CHECK_EQUAL(json::to_hex(chunk.payload, chunk.size), vector["payload"].text);
    // No byte may change unseen.
    for (size_t at = 0; at < out.size(); at++) {
      out.data()[at] ^= 0x10;
      CHECK(parse_chunk(out.data(), out.size(), chunk, used) != ChunkResult::Complete);
      out.data()[at] ^= 0x10;
    }
    out.release();
  }
}

TEST("format: varints come back, and those that are too long or cut are refused") {
  for (u64 value : {0ull, 1ull, 127ull, 128ull, 16383ull, 16384ull, 1ull << 32, ~0ull}) {
    Bytes out;
    put_varint(out, value);
    CHECK_EQUAL(out.size(), varint_size(value));
    const u8* at = out.data();
    u64 back = 0;
    CHECK(get_varint(at, out.data() + out.size(), back));
    CHECK_EQUAL(back, value);
    at = out.data();
    CHECK(out.size() == 1 || !get_varint(at, out.data() + out.size() - 1, back));
    out.release();
  }
  const u8 long_one[11] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0};
  const u8* at = long_one;
  u64 back = 0;
  CHECK(!get_varint(at, long_one + sizeof long_one, back));
  for (i64 value : {i64{0}, i64{-1}, i64{1}, INT64_MAX, INT64_MIN}) CHECK_EQUAL(unzigzag(zigzag(value)), value);
}

TEST("format: nested messages of every length keep their bytes") {
  for (size_t size : {0u, 1u, 127u, 128u, 16383u, 16384u, 70000u}) {
    Bytes out;
    {
      Nested part(out, 3);
      for (size_t i = 0; i < size; i++) out.put(static_cast<u8>(i));
    }
    FieldReader field(out.data(), out.size());
    CHECK(field.next());
    CHECK_EQUAL(field.field(), 3u);
    CHECK_EQUAL(field.size(), size);
    for (size_t i = 0; i < size; i++) CHECK_EQUAL(field.bytes()[i], static_cast<u8>(i));
    CHECK(!field.next() && !field.broken());
    out.release();
  }
}

TEST("config: what is written is read back, and nonsense is moved into bounds") {
  Config config;
  config.async_interval_ns = 10 * kNsPerMs;
  config.kinds = 1ull << 3 | 1ull << 20;
  config.policy = Policy::Ring;
  config.ring_ns = 5 * kNsPerSecond;
  config.main_only = true;
  Bytes out;
  put_config(out, config);
  Config back;
  CHECK(parse_config(out.data(), out.size(), back));
  CHECK_EQUAL(back.async_interval_ns, config.async_interval_ns);
  CHECK_EQUAL(back.kinds, config.kinds);
  CHECK(back.policy == Policy::Ring && back.main_only);
  CHECK(back.wants(SampleKind::Allocation) && !back.wants(SampleKind::Park));
  CHECK_EQUAL(back.budget_ppm, config.budget_ppm);
  CHECK_EQUAL(back.sync_interval_ns, config.sync_interval_ns);
  config.budget_ppm = 0;
  config.sync_interval_ns = 0;
  out.clear();
  put_config(out, config);
  CHECK(parse_config(out.data(), out.size(), back));
  CHECK_EQUAL(back.budget_ppm, u64{0});
  CHECK_EQUAL(back.sync_interval_ns, i64{0});
  out.clear();
  put_field(out, 3, 1);
  put_field(out, 2, 5);
  put_field(out, 4, 77);
  CHECK(parse_config(out.data(), out.size(), back));
  CHECK_EQUAL(back.memory_bytes, 8 * kMiB);
  CHECK_EQUAL(back.async_interval_ns, kNsPerMs);
  CHECK(back.policy == Policy::Stream);
  out.put(0xff);
  CHECK(!parse_config(out.data(), out.size(), back));
  out.release();
}

TEST("options: a path and two tokens, or nothing") {
  const std::string token = "00112233445566778899aabbccddeeff";
  Options options;
  CHECK(parse_options(("socket=/tmp/s,token=" + token + ",answer=" + token).c_str(), options));
  CHECK_EQUAL(std::string(options.socket), "/tmp/s");
  CHECK_EQUAL(static_cast<int>(options.token[15]), 0xff);
  auto refused = [](const std::string& text) {
    Options other;
    return !parse_options(text.c_str(), other);
  };
  CHECK(refused(""));
  CHECK(refused("socket=/tmp/s"));
  CHECK(refused("socket=/tmp/s,token=" + token));
  CHECK(refused("token=" + token + ",answer=" + token));
  CHECK(refused("socket=/s,listen=name,token=" + token + ",answer=" + token));
  CHECK(refused("socket=/s,token=" + token + ",answer=" + token + ",wait=1x"));
  CHECK(refused("socket=/s,token=" + token + ",answer=" + token + ",wait=12345678"));
  CHECK(refused("socket=/tmp/s,token=" + token + "0,answer=" + token));
  CHECK(refused("socket=/tmp/s,token=zz" + token.substr(2) + ",answer=" + token));
  CHECK(refused("socket=" + std::string(108, 'x') + ",token=" + token + ",answer=" + token));
  CHECK(refused("nonsense"));
}

TEST("options: the two tokens may be in a file, which no command line shows") {
  const std::string token = "00112233445566778899aabbccddeeff";
  char path[] = "/tmp/btrace-secret-XXXXXX";
  const int fd = mkstemp(path);
  CHECK(fd >= 0);
  auto parsed = [&](const std::string& content, Options& options) {
    CHECK_EQUAL(ftruncate(fd, 0), 0);
    CHECK_EQUAL(pwrite(fd, content.data(), content.size(), 0), static_cast<ssize_t>(content.size()));
    return parse_options(("socket=/tmp/s,secret=" + std::string(path) + ",wait=5").c_str(), options);
  };
  Options options;
  CHECK(parsed("token=" + token + ",answer=" + token, options));
  CHECK_EQUAL(static_cast<int>(options.answer[15]), 0xff);
  CHECK_EQUAL(options.wait_ms, 5u);
  for (const std::string& content : {std::string(), "token=" + token, std::string("nonsense"),
                                    "token=" + token + ",answer=" + token.substr(1), std::string(1000, 'x')}) {
    Options other;
    CHECK(!parsed(content, other));
  }
  close(fd);
  unlink(path);
  CHECK(!parse_options(("socket=/tmp/s,secret=" + std::string(path)).c_str(), options));
}

}  // namespace
