// A made-up code area of the JVM's and a made-up stack: what a stub's caller must look like to be believed.
#include "rt/hotspot/stub_caller.h"

#include <cstring>
#include <random>
#include <vector>

#include "harness.h"

using namespace btrace;
using hotspot::CodeArea;
using hotspot::find_stub_caller;

#if defined(__x86_64__)

namespace {

// A stub at 0x100 that keeps a frame; calls of it return to 0x40 (by its address in a register) and 0x60 (by its
// distance).
struct Made {
  alignas(16) u8 code[0x400] = {};
  u64 stack[64] = {};
  CodeArea area{reinterpret_cast<u64>(code), sizeof code};
  u64 begin = reinterpret_cast<u64>(stack), end = reinterpret_cast<u64>(stack + 64);

  Made() {
    const u8 frame[] = {0x55, 0x48, 0x8b, 0xec}, move[] = {0x49, 0xba}, call[] = {0x41, 0xff, 0xd2};
    memcpy(code + 0x100, frame, sizeof frame);
    code[0x180] = 0xc3;
    const u64 target = at(0x100);
    memcpy(code + 0x40 - 13, move, sizeof move);
    memcpy(code + 0x40 - 11, &target, sizeof target);
    memcpy(code + 0x40 - 3, call, sizeof call);
    const i32 distance = 0x100 - 0x60;
    code[0x60 - 5] = 0xe8;
    memcpy(code + 0x60 - 4, &distance, sizeof distance);
  }
  u64 at(u64 offset) const { return area.begin + offset; }
  u64 place(u32 word) const { return begin + word * sizeof(u64); }
  bool find(const Registers& from, Registers& caller) const { return find_stub_caller(from, area, begin, end, caller); }
};

void check(const Registers& caller, u64 pc, u64 sp, u64 frame) {
  CHECK_EQUAL(caller.pc, pc);
  CHECK_EQUAL(caller.sp, sp);
  CHECK_EQUAL(caller.frame, frame);
}

}  // namespace

TEST("stub caller: of a stub that calls the JVM, where its first instruction and its caller's call agree") {
  using hotspot::find_runtime_stub_caller;
  const std::vector<u8> begins[] = {
      {0x48, 0x83, 0xec, 0x28}, {0x48, 0x81, 0xec, 0x28, 0, 0, 0}, {0x55, 0x48, 0x83, 0xec, 0x20}};
  for (const auto& begin : begins) {
    Made made;
    memcpy(made.code + 0x100, begin.data(), begin.size());
    Registers caller{};
    made.stack[18] = made.at(0x60);  // left from an earlier call: no frame of this size ends there
    made.stack[25] = made.at(0x60);
    CHECK(find_runtime_stub_caller(made.at(0x120), made.place(20), made.area, made.end, caller));
    check(caller, made.at(0x60), made.place(26), 0);
    CHECK(!find_runtime_stub_caller(made.at(0x120), made.place(21), made.area, made.end, caller));
    CHECK(!find_runtime_stub_caller(made.at(0x120), made.place(20), made.area, made.place(25), caller));
    CHECK(!find_runtime_stub_caller(made.at(0x80), made.place(20), made.area, made.end, caller));
    CHECK(!find_runtime_stub_caller(1, made.place(20), made.area, made.end, caller));
    CHECK(!find_runtime_stub_caller(made.at(0x120), made.place(20) + 4, made.area, made.end, caller));
    made.code[0x100] = 0x90;
    CHECK(!find_runtime_stub_caller(made.at(0x120), made.place(20), made.area, made.end, caller));
  }
}

TEST("stub caller: found while the stub's frame comes, stands and has gone, by both kinds of calls") {
  for (const u64 returns_to : {0x40, 0x60}) {
    Made made;
    Registers caller{};
    made.stack[20] = 77;  // the caller's frame pointer, once it is pushed
    made.stack[21] = made.at(returns_to);
    CHECK(made.find({made.at(0x100), made.place(21), 77, 0}, caller));
    check(caller, made.at(returns_to), made.place(22), 77);
    CHECK(made.find({made.at(0x101), made.place(20), 5, 0}, caller));
    check(caller, made.at(returns_to), made.place(22), 77);
    for (const u64 within : {0x104, 0x150, 0x80}) {  // what stubs share may lie before them
      CHECK(made.find({made.at(within), made.place(10), made.place(20), 0}, caller));
      check(caller, made.at(returns_to), made.place(22), 77);
    }
    CHECK(made.find({made.at(0x180), made.place(21), 77, 0}, caller));
    check(caller, made.at(returns_to), made.place(22), 77);
  }
}

TEST("stub caller: what its call does not bear out is not believed") {
  Made made;
  Registers caller{};
  made.stack[21] = made.at(0x40);
  const Registers within{made.at(0x150), made.place(10), made.place(20), 0};
  CHECK(made.find(within, caller));
  made.stack[21] = made.at(0x41);  // no call ends there
  CHECK(!made.find(within, caller));
  made.stack[21] = made.at(0x40);
  made.code[0x100] = 0x90;  // a method, which begins otherwise
  CHECK(!made.find(within, caller));
  made.code[0x100] = 0x55;
  CHECK(!made.find({made.at(0x150), made.place(30), made.place(20), 0}, caller));  // a frame that is over
  CHECK(!made.find({made.at(0x150), made.place(21), 0, 0}, caller));               // it has a frame by now
  CHECK(!made.find({made.area.begin + made.area.bytes, made.place(10), made.place(20), 0}, caller));
}

TEST("stub caller: where a jump leads, within the JVM's code alone") {
  using hotspot::jump_target;
  Made made;
  const auto jump = [&](u64 from, i64 to) {
    made.code[from] = 0xe9;
    const auto distance = static_cast<i32>(to - static_cast<i64>(from) - 5);
    memcpy(made.code + from + 1, &distance, sizeof distance);
    return jump_target(made.area, made.at(from));
  };
  CHECK_EQUAL(jump(0x200, 0x80), made.at(0x80));
  CHECK_EQUAL(jump(0x200, 0x3ff), made.at(0x3ff));
  CHECK_EQUAL(jump(0x200, -1), 0u);
  CHECK_EQUAL(jump(0x200, 0x400), 0u);
  made.code[0x300] = 0xeb;
  made.code[0x301] = 0xf0;
  CHECK_EQUAL(jump_target(made.area, made.at(0x300)), made.at(0x2f2));
  made.code[0x300] = 0x74;  // one that depends
  CHECK_EQUAL(jump_target(made.area, made.at(0x300)), 0u);
  made.code[0x3fe] = 0xe9;  // not whole
  CHECK_EQUAL(jump_target(made.area, made.at(0x3fe)), 0u);
  CHECK_EQUAL(jump_target(made.area, made.area.begin - 1), 0u);
}

TEST("stub caller: whatever registers hold, nothing beyond the stack is read") {
  Made made;
  for (u64& word : made.stack) word = made.at(0x40);
  std::mt19937_64 random(7);
  const u64 edges[] = {0,
                       8,
                       ~u64{0},
                       ~u64{0} - 7,
                       ~u64{0} - 15,
                       ~u64{0} - 23,
                       made.begin,
                       made.begin - 8,
                       made.end,
                       made.end - 8,
                       made.end - 16};
  const auto any = [&] {
    switch (random() % 3) {
      case 0: return edges[random() % (sizeof edges / sizeof edges[0])];
      case 1: return made.begin + random() % (2 * sizeof made.stack);
      default: return static_cast<u64>(random());
    }
  };
  u32 found = 0;
  for (u32 i = 0; i < 200'000; i++) {
    Registers caller{};
    const Registers from{made.at(random() % sizeof made.code), any(), any(), 0};
    if (!made.find(from, caller)) continue;
    found++;
    CHECK(caller.sp > made.begin && caller.sp <= made.end && caller.pc == made.at(0x40));
  }
  CHECK(found > 100);
}

#endif
