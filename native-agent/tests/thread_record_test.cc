// The registry of threads: what becomes of the records of those that have ended.
#include "core/thread_record.h"

#include <thread>

#include "base/syscall.h"
#include "harness.h"

using namespace btrace;

namespace {

// No thread of this process has such an id.
constexpr u32 kFirstTid = 1u << 30;
constexpr u32 kMany = 20 * ThreadRegistry::kSlabRecords;

u32 marked(ThreadRecord* const (&records)[kMany]) {
  u32 count = 0;
  for (ThreadRecord* record : records) count += record->held.mean_cost_ns == 77;
  return count;
}

}  // namespace

TEST("thread records: one is found by tid, freed at its thread's end and used again") {
  u32 first_slot = 0, second_slot = 0;
  std::thread([&] {
    ThreadRecord* record = g_threads.current_record();
    CHECK(record == g_threads.current_record() && record == g_threads.find(sys::gettid()));
    first_slot = record->slot;
  }).join();
  // No recording runs: the end of the thread frees it.
  std::thread([&] { second_slot = g_threads.current_record()->slot; }).join();
  CHECK_EQUAL(second_slot, first_slot);
}

TEST("thread records: the memory of free ones is given back, and those of threads that live stay as they are") {
  static ThreadRecord* records[kMany];
  for (u32 i = 0; i < kMany; i++) {
    records[i] = g_threads.obtain(kFirstTid + i);
    CHECK(records[i] != nullptr);
    records[i]->held.mean_cost_ns = 77;
  }
  g_threads.empty_free();
  CHECK_EQUAL(marked(records), kMany);

  // One in a hundred lives on.
  const auto lives = [](u32 i) { return i % 100 == 50; };
  for (u32 i = 0; i < kMany; i++)
    if (!lives(i)) g_threads.end(*records[i], true);
  g_threads.empty_free();
  // At most one at each end of a run shares a page with another.
  CHECK(marked(records) < kMany / 4);
  for (u32 i = 0; i < kMany; i++) {
    if (!lives(i)) continue;
    CHECK_EQUAL(records[i]->held.mean_cost_ns, 77u);
    CHECK(g_threads.find(kFirstTid + i) == records[i]);
    CHECK(&g_threads.at(records[i]->slot) == records[i]);
  }

  // They are used again, each under its own number; to let go of those that no thread has taken frees no other.
  const u32 slots = g_threads.slots();
  for (u32 i = 0; i < kMany; i++) {
    ThreadRecord* record = g_threads.obtain(kFirstTid + i);
    CHECK(record != nullptr);
    CHECK(&g_threads.at(record->slot) == record);
    records[i] = record;
  }
  CHECK_EQUAL(g_threads.slots(), slots);
  ThreadRecord* first = &g_threads.at(0);
  first->bound.store(1);
  const u32 tid = first->tid.load();
  g_threads.release_unbound();
  g_threads.empty_free();
  g_threads.release_unbound();
  CHECK(g_threads.find(tid) == first);
  // Nor does a thread that ends only when its record is emptied.
  for (ThreadRecord* record : records)
    if (record != first) g_threads.end(*record, true);
  CHECK(g_threads.find(tid) == first);
  g_threads.end(*first, true);
}

TEST("thread records: a free one that a handler holds still is neither emptied nor given to another thread") {
  static ThreadRecord* records[kMany];
  for (u32 i = 0; i < kMany; i++) records[i] = g_threads.obtain(kFirstTid + i);
  ThreadRecord* held = records[kMany / 2];
  held->busy.store(Holder::Thread);
  for (ThreadRecord* record : records) {
    record->held.mean_cost_ns = 77;
    g_threads.end(*record, true);
  }
  g_threads.empty_free();
  CHECK_EQUAL(held->held.mean_cost_ns, 77u);
  CHECK_EQUAL(held->busy.load(), Holder::Thread);
  for (u32 i = 0; i < kMany; i++) {
    records[i] = g_threads.obtain(kFirstTid + i);
    CHECK(records[i] != held);
    CHECK_EQUAL(records[i]->busy.load(), Holder::Nobody);
  }
  held->busy.store(Holder::Nobody);
  CHECK(g_threads.obtain(kFirstTid + kMany) == held);
  g_threads.end(*held, true);
  for (ThreadRecord* record : records) g_threads.end(*record, true);
}
