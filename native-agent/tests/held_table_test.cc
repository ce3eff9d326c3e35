// Which allocations are held.
#include "core/held_table.h"

#include <thread>
#include <vector>

#include "harness.h"

using namespace btrace;

namespace {

// Nothing of it is on a stack: it is large.
HeldTable g_table;

const void* address_of(u64 number) {
  return reinterpret_cast<const void*>(static_cast<uintptr_t>(0x7f0000000000 + number * 16));
}

HeldAllocation of(u64 bytes) {
  return {bytes, static_cast<i64>(bytes) * 2, 3, static_cast<u32>(bytes) + 1, 5};
}

u64 held_bytes_in(const HeldTable& table, u32& count) {
  u64 bytes = 0;
  HeldAllocation held;
  count = 0;
  for (u32 at = 0; table.next(at, held); count++) bytes += held.bytes;
  return bytes;
}

// The next number from `number` on whose address has the home of number 1's.
u64 next_beside_first(u64 number) {
  while (HeldTable::home(address_of(number)) != HeldTable::home(address_of(1))) number++;
  return number;
}

TEST("held memory: an allocation is known until it is taken out") {
  g_table.clear();
  CHECK(!g_table.may_hold(address_of(1)));
  CHECK(g_table.put(address_of(1), of(100)));
  CHECK(g_table.put(address_of(2), of(200)));
  CHECK(g_table.may_hold(address_of(1)));
  HeldAllocation held;
  CHECK(!g_table.take(address_of(3), held));
  CHECK(g_table.take(address_of(1), held));
  CHECK_EQUAL(held.bytes, u64{100});
  CHECK_EQUAL(held.time_ns, i64{200});
  CHECK_EQUAL(held.session, u32{3});
  CHECK_EQUAL(held.stack, u32{101});
  CHECK_EQUAL(held.thread, u32{5});
  CHECK(!g_table.take(address_of(1), held));
  CHECK(!g_table.may_hold(address_of(1)));
  u32 count;
  CHECK_EQUAL(held_bytes_in(g_table, count), u64{200});
  CHECK_EQUAL(count, u32{1});
}

TEST("held memory: an address is there once") {
  g_table.clear();
  CHECK(g_table.put(address_of(1), of(100)));
  CHECK(g_table.put(address_of(1), of(300)));
  u32 count;
  CHECK_EQUAL(held_bytes_in(g_table, count), u64{300});
  CHECK_EQUAL(count, u32{1});
}

TEST("held memory: an address is there once, also where a place before its own has become free") {
  g_table.clear();
  // Both have one home: the second lies behind the first.
  const u64 second = next_beside_first(2);
  CHECK(g_table.put(address_of(1), of(100)));
  CHECK(g_table.put(address_of(second), of(200)));
  HeldAllocation held;
  CHECK(g_table.take(address_of(1), held));
  CHECK(g_table.put(address_of(second), of(300)));
  u32 count;
  CHECK_EQUAL(held_bytes_in(g_table, count), u64{300});
  CHECK_EQUAL(count, u32{1});
}

TEST("held memory: a full table says so, and has room again") {
  g_table.clear();
  u64 put = 0;
  for (u64 number = 0; number < 160000; number++) put += g_table.put(address_of(number), of(1));
  CHECK(put > 32000 && put <= 65536);
  u32 count;
  CHECK_EQUAL(held_bytes_in(g_table, count), put);
  HeldAllocation held;
  u64 taken = 0;
  for (u64 number = 0; number < 160000; number++) taken += g_table.take(address_of(number), held);
  CHECK_EQUAL(taken, put);
  for (u64 number = 0; number < 160000; number++) CHECK(!g_table.may_hold(address_of(number)));
  CHECK(g_table.put(address_of(7), of(1)));
}

TEST("held memory: a null pointer that is freed takes nothing out") {
  g_table.clear();
  // Fills the places at which a null pointer would lie, and so that its part of the filter is not empty.
  u64 put = 0;
  for (u64 number = 0; number < 160000; number++) put += g_table.put(address_of(number), of(1));
  CHECK(g_table.may_hold(nullptr));
  HeldAllocation held;
  for (u64 number = 0; number < 160000; number += 2) put -= g_table.take(address_of(number), held);
  for (u32 i = 0; i < 64; i++) CHECK(!g_table.take(nullptr, held));
  u64 taken = 0;
  for (u64 number = 0; number < 160000; number++)
    taken += g_table.may_hold(address_of(number)) && g_table.take(address_of(number), held);
  CHECK_EQUAL(taken, put);
}

constexpr u32 kThreads = 4, kEach = 3;

Atomic<u32> g_begun;

// Puts in what is its own, and takes it out again. False: it was not there, or was another's.
bool put_and_take(const u64* numbers) {
  g_begun.add(1);
  while (g_begun.load() < kThreads) std::this_thread::yield();
  for (u32 round = 0; round < 200000; round++) {
    for (u32 i = 0; i < kEach; i++)
      if (!g_table.put(address_of(numbers[i]), of(numbers[i]))) return false;
    HeldAllocation held;
    for (u32 i = 0; i < kEach; i++)
      if (!g_table.take(address_of(numbers[i]), held) || held.bytes != numbers[i]) return false;
  }
  return true;
}

TEST("held memory: threads may use the same places at once") {
  g_table.clear();
  u64 numbers[kThreads * kEach], next = 1;
  for (u64& number : numbers) next = (number = next_beside_first(next)) + 1;
  g_begun.store(0);
  bool is_right[kThreads] = {};
  std::vector<std::thread> threads;
  for (u32 i = 0; i < kThreads; i++) threads.emplace_back([&, i] { is_right[i] = put_and_take(numbers + i * kEach); });
  for (std::thread& thread : threads) thread.join();
  for (bool one : is_right) CHECK(one);
  for (u64 number : numbers) CHECK(!g_table.may_hold(address_of(number)));
}

// Of those that it finds again, each is what was put in.
bool put_and_take_what_is_left(const u64* numbers) {
  for (u32 round = 0; round < 200000; round++) {
    for (u32 i = 0; i < kEach; i++)
      if (!g_table.put(address_of(numbers[i]), of(numbers[i]))) return false;
    HeldAllocation held;
    for (u32 i = 0; i < kEach; i++)
      if (g_table.take(address_of(numbers[i]), held) && (held.bytes != numbers[i] || held.stack != of(numbers[i]).stack))
        return false;
  }
  return true;
}

TEST("held memory: a table that is cleared meanwhile loses what is there, and mixes nothing up") {
  g_table.clear();
  u64 numbers[kThreads * kEach], next = 1;
  for (u64& number : numbers) next = (number = next_beside_first(next)) + 1;
  Atomic<u32> running;
  running.store(kThreads);
  bool is_right[kThreads] = {};
  std::vector<std::thread> threads;
  for (u32 i = 0; i < kThreads; i++)
    threads.emplace_back([&, i] {
      is_right[i] = put_and_take_what_is_left(numbers + i * kEach);
      running.subtract(1);
    });
  // As clear does, at the places that are used: the whole table would take too long.
  HeldAllocation held;
  while (running.load())
    for (u64 number : numbers) g_table.take(address_of(number), held);
  for (std::thread& thread : threads) thread.join();
  for (bool one : is_right) CHECK(one);
  for (u64 number : numbers) {
    CHECK(g_table.put(address_of(number), of(number)));
    CHECK(g_table.take(address_of(number), held));
    CHECK(!g_table.may_hold(address_of(number)));
  }
}

}  // namespace
