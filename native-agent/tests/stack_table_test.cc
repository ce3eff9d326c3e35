#include "core/stack_table.h"

#include <map>
#include <random>
#include <thread>
#include <tuple>

#include "core/known_stacks.h"
#include "harness.h"

using namespace btrace;

namespace {

struct Table {
  StackTable table{};
  explicit Table(u32 nodes) { CHECK(table.init(nodes)); }
  ~Table() { table.release(); }
  StackTable* operator->() { return &table; }
};

std::vector<Frame> lifelike(std::mt19937& random, u32 depth) {
  // Near the root few methods, near the leaf many: as call trees are.
  std::vector<Frame> leaf_first(depth);
  for (u32 level = 0; level < depth; level++)
    leaf_first[depth - 1 - level] = {1000 + level * 64 + random() % (1 + level / 4), static_cast<i64>(random() % 3)};
  return leaf_first;
}

std::vector<Frame> read_back(StackTable& table, u32 node) {
  std::vector<Frame> leaf_first;
  for (; node; node = table.at(node).parent) {
    CHECK(table.at(node).parent < node);
    leaf_first.push_back({table.at(node).code, i64{table.at(node).position} - 1});
  }
  return leaf_first;
}

bool same(const std::vector<Frame>& a, const std::vector<Frame>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); i++)
    if (a[i].code != b[i].code || a[i].position != b[i].position) return false;
  return true;
}

TEST("stack table: equal stacks get one node, and it reads back") {
  Table table(1 << 16);
  LastStack last{};
  std::mt19937 random(1);
  std::map<std::vector<std::tuple<u64, i64>>, u32> model;
  for (int round = 0; round < 2000; round++) {
    auto stack = lifelike(random, random() % 60);
    u32 node = table->insert(stack.data(), static_cast<u32>(stack.size()), last);
    CHECK(node != StackTable::kNoNode);
    CHECK(same(read_back(table.table, node), stack));
    std::vector<std::tuple<u64, i64>> key;
    for (auto& frame : stack) key.emplace_back(frame.code, frame.position);
    auto [known, fresh] = model.emplace(key, node);
    CHECK_EQUAL(known->second, node);
  }
}

TEST("stack table: a stack deeper than the last-stack memory is whole") {
  Table table(1 << 14);
  LastStack last{};
  std::vector<Frame> stack(4096);
  for (u32 i = 0; i < stack.size(); i++) stack[i] = {i + 1, -1};
  u32 node = table->insert(stack.data(), 4096, last);
  CHECK(same(read_back(table.table, node), stack));
  CHECK_EQUAL(table->insert(stack.data(), 4096, last), node);
  CHECK_EQUAL(table->used(), 4097u);
}

TEST("stack table: the native frames of a thread's last stack are known by the frames above them") {
  Table table(1024);
  LastStack last{};
  const Frame native[] = {{0x1234, kFirstImage + 7}, {0x99, kFirstImage + 3}, {2, -1}, {1, 5}};
  const Frame other[] = {{2, -1}, {1, 6}};
  Frame found[4]{};
  CHECK_EQUAL(table->natives(native + 2, 2, last, found, 4), 0u);
  u32 id = table->insert(native, 4, last);
  CHECK(table->at(id).is_native());
  CHECK_EQUAL(table->at(id).image(), 7u);
  CHECK_EQUAL(table->natives(native + 2, 2, last, found, 4), 2u);
  for (int i : {0, 1}) {
    CHECK_EQUAL(found[i].code, native[i].code);
    CHECK_EQUAL(found[i].position, native[i].position);
  }
  CHECK_EQUAL(table->natives(native + 2, 2, last, found, 1), 0u);
  CHECK_EQUAL(table->natives(other, 2, last, found, 4), 0u);
  CHECK_EQUAL(table->natives(native + 3, 1, last, found, 4), 0u);
  table->insert(native + 2, 2, last);
  CHECK_EQUAL(table->natives(native + 2, 2, last, found, 4), 0u);
}

TEST("stack table: native frames of which not all had room are none") {
  Table table(1024);
  LastStack last{};
  Frame deep[2000];
  for (u32 i = 0; i < 2000; i++) deep[i] = {i, kFirstImage + 1};
  CHECK_EQUAL(table->insert(deep, 2000, last), StackTable::kNoNode);
  Frame found[2000];
  CHECK_EQUAL(table->natives(deep + 1999, 1, last, found, 2000), 0u);
  LastStack longer{};
  Table room(4096);
  CHECK(room->insert(deep, 2000, longer) != StackTable::kNoNode);
  CHECK_EQUAL(room->natives(deep + 1999, 1, longer, found, 2000), 0u);
}

TEST("stack table: when it is full it says so, and what is in it stays right") {
  Table table(1024);
  LastStack last{};
  std::vector<std::pair<Frame, u32>> kept;
  u32 refused = 0;
  for (u64 code = 1; code < 3000; code++) {
    Frame frame{code, 0};
    u32 node = table->insert(&frame, 1, last);
    if (node == StackTable::kNoNode)
      refused++;
    else
      kept.emplace_back(frame, node);
  }
  CHECK(refused > 0);
  CHECK(kept.size() > 900);
  for (auto& [frame, node] : kept) CHECK_EQUAL(table->insert(&frame, 1, last), node);
}

TEST("stack table: threads that insert the same stacks at once agree on their nodes") {
  constexpr int kThreads = 8, kStacks = 1000;
  Table table(1 << 17);
  std::vector<std::vector<u32>> nodes(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++)
    threads.emplace_back([&, t] {
      LastStack last{};
      std::mt19937 random(42);
      for (int i = 0; i < kStacks; i++) {
        auto stack = lifelike(random, 30);
        nodes[t].push_back(table->insert(stack.data(), 30, last));
      }
    });
  for (auto& thread : threads) thread.join();
  std::mt19937 random(42);
  for (int i = 0; i < kStacks; i++) {
    CHECK(same(read_back(table.table, nodes[0][i]), lifelike(random, 30)));
    for (int t = 1; t < kThreads; t++) CHECK_EQUAL(nodes[t][i], nodes[0][i]);
  }
}

TEST("known stacks: are found by their key alone, and the newest of two in one place") {
  KnownStacks known{};
  CHECK(known.init());
  CHECK_EQUAL(known.find(5), 0u);
  known.keep(5, 77);
  CHECK_EQUAL(known.find(5), 77u);
  const u64 same_place = 5 + KnownStacks::kSlots;
  CHECK_EQUAL(known.find(same_place), 0u);
  known.keep(same_place, 78);
  CHECK_EQUAL(known.find(same_place), 78u);
  CHECK_EQUAL(known.find(5), 0u);
  known.release();
}

TEST("known stacks: threads that write to one place at once never make one stack of another") {
  KnownStacks known{};
  CHECK(known.init());
  std::vector<std::thread> threads;
  Atomic<u32> wrong{};
  for (u64 number = 1; number <= 4; number++)
    threads.emplace_back([&, number] {
      const u64 key = number * KnownStacks::kSlots + 9;
      for (u32 i = 0; i < 200000; i++) {
        known.keep(key, static_cast<u32>(number));
        const u64 other = (1 + i % 4) * KnownStacks::kSlots + 9;
        const u32 found = known.find(other);
        if (found && found != 1 + i % 4) wrong.add(1);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK_EQUAL(wrong.load(), 0u);
  known.release();
}

TEST("stack table: a thread that was seen elsewhere without a walk has no last native frames") {
  Table table(1024);
  LastStack last{};
  const Frame native[] = {{9, kFirstImage + 1}, {2, 0}, {1, 0}};
  CHECK(table->insert(native, 3, last));
  Frame leaf[1];
  CHECK_EQUAL(table->natives(native + 1, 2, last, leaf, 1), 1u);
  last.is_older = true;
  CHECK_EQUAL(table->natives(native + 1, 2, last, leaf, 1), 0u);
  CHECK(table->insert(native, 3, last));
  CHECK_EQUAL(table->natives(native + 1, 2, last, leaf, 1), 1u);
}

}  // namespace
