// The set of threads that are due.
#include "core/slot_set.h"

#include <algorithm>
#include <thread>

#include "harness.h"

using namespace btrace;

namespace {

std::vector<u32> all_of(SlotSet& set) {
  std::vector<u32> slots;
  for (u32 slot = set.take(); slot != SlotSet::kNone; slot = set.take()) slots.push_back(slot);
  CHECK(set.is_empty());
  return slots;
}

}  // namespace

TEST("slot set: each comes out once, wherever it lies and however often it was put in") {
  static SlotSet set;
  CHECK(set.is_empty());
  CHECK_EQUAL(set.take(), SlotSet::kNone);
  const std::vector<u32> slots{0, 1, 63, 64, 4095, 4096, 40000, SlotSet::kSlots - 1};
  for (int round = 0; round < 3; round++) {
    for (u32 slot : slots) set.put(slot);
    for (u32 slot : slots) set.put(slot);
    CHECK(!set.is_empty());
    std::vector<u32> taken = all_of(set);
    std::sort(taken.begin(), taken.end());
    CHECK(taken == slots);
  }
}

TEST("slot set: one that is put in again and again keeps none waiting") {
  static SlotSet set;
  for (u32 slot : {100u, 5000u}) set.put(slot);
  bool came = false;
  for (u32 turn = 0; turn < 4 && !came; turn++) {
    set.put(7);
    came = set.take() == 5000;
  }
  CHECK(came);
  all_of(set);
}

TEST("slot set: what threads put in at once is all there") {
  static SlotSet set;
  constexpr u32 kThreads = 4, kEach = 2000;
  static u32 came[kThreads * kEach];
  std::vector<std::thread> threads;
  for (u32 thread = 0; thread < kThreads; thread++)
    threads.emplace_back([thread] {
      for (u32 i = 0; i < kEach; i++) set.put(i * kThreads + thread);
    });
  const auto take_all = [] {
    for (u32 slot = set.take(); slot != SlotSet::kNone; slot = set.take()) came[slot]++;
  };
  for (int i = 0; i < 100; i++) take_all();
  for (std::thread& thread : threads) thread.join();
  take_all();
  CHECK(set.is_empty());
  for (u32 times : came) CHECK_EQUAL(times, 1u);
}
