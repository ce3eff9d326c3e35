#include "core/shard.h"

#include <atomic>
#include <thread>

#include "harness.h"

using namespace btrace;

namespace {

struct Pool {
  SegmentPool pool{};
  explicit Pool(size_t bytes) { CHECK(pool.init(bytes)); }
  ~Pool() { pool.release(); }
};

Row row_at(i64 time) {
  Row row{};
  row.time_ns = time;
  return row;
}

TEST("shard: rows come out in order, and segments go back") {
  Pool pool(64 * 1024);
  Shard shard{};
  Row rows[64];
  i64 written = 0, read = 0;
  for (int round = 0; round < 200; round++) {
    for (int i = 0; i < round % 50; i++) CHECK(shard.push(pool.pool, row_at(written++)));
    while (u32 count = shard.pop(pool.pool, rows, 64))
      for (u32 i = 0; i < count; i++) CHECK_EQUAL(rows[i].time_ns, read++);
  }
  CHECK_EQUAL(read, written);
  CHECK(shard.empty(pool.pool));
  CHECK(pool.pool.in_use() <= 2);
  shard.drop(pool.pool);
  CHECK_EQUAL(pool.pool.in_use(), 0u);
}

TEST("shard: what is new is seen once, whatever was popped or dropped before it") {
  Pool pool(6 * Segment::kBytes);
  Shard shard{};
  Row rows[64];
  i64 written = 0, seen = 0;
  u32 number = 0;
  for (int round = 0; round < 400; round++) {
    for (int i = 0; i < round % 50; i++)
      if (shard.push(pool.pool, row_at(written))) written++;
    if (round % 7 == 3) {  // nobody looked before they went
      while (u32 count = shard.pop(pool.pool, rows, 64)) seen = max_of(seen, rows[count - 1].time_ns + 1);
    }
    while (u32 count = shard.peek_new(pool.pool, rows, 64))
      for (u32 i = 0; i < count; i++, number++) CHECK_EQUAL(rows[i].time_ns, seen++);
    CHECK_EQUAL(seen, written);
    while (pool.pool.in_use() > 3 && shard.drop_older(pool.pool, INT64_MAX)) {
    }
  }
  CHECK(number > 1000);
}

TEST("shard: an empty pool refuses and harms nothing that is in it") {
  Pool pool(2 * Segment::kBytes);
  Shard shard{};
  u32 kept = 0;
  while (shard.push(pool.pool, row_at(kept))) kept++;
  CHECK_EQUAL(kept, 2 * Segment::kRows);
  CHECK(!shard.push(pool.pool, row_at(kept)));
  Row rows[4096 / sizeof(Row) * 2 + 2];
  u32 count = shard.pop(pool.pool, rows, sizeof rows / sizeof *rows);
  CHECK_EQUAL(count, kept);
  for (u32 i = 0; i < count; i++) CHECK_EQUAL(rows[i].time_ns, i64{i});
  CHECK(shard.push(pool.pool, row_at(1)));
}

TEST("shard: sixteen writers and one slow reader lose nothing that is not counted") {
  constexpr int kWriters = 16, kRows = 20000;
  Pool pool(64 * Segment::kBytes);
  std::vector<Shard> shards(kWriters);
  std::atomic<int> writing{kWriters};
  std::vector<i64> lost(kWriters);
  std::vector<std::thread> threads;
  for (int t = 0; t < kWriters; t++)
    threads.emplace_back([&, t] {
      for (i64 i = 0; i < kRows; i++)
        if (!shards[t].push(pool.pool, row_at(i))) lost[t]++;
      writing--;
    });
  std::vector<i64> read(kWriters), last(kWriters, -1);
  Row rows[100];
  for (bool more = true; more;) {
    more = writing.load() > 0;
    for (int t = 0; t < kWriters; t++)
      while (u32 count = shards[t].pop(pool.pool, rows, 100)) {
        more = true;
        for (u32 i = 0; i < count; i++) {
          CHECK(rows[i].time_ns > last[t]);
          last[t] = rows[i].time_ns;
        }
        read[t] += count;
      }
  }
  for (auto& thread : threads) thread.join();
  for (int t = 0; t < kWriters; t++) {
    while (u32 count = shards[t].pop(pool.pool, rows, 100)) read[t] += count;
    CHECK_EQUAL(read[t] + lost[t], i64{kRows});
    shards[t].drop(pool.pool);
  }
  CHECK_EQUAL(pool.pool.in_use(), 0u);
}

}  // namespace
