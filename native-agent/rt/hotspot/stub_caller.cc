#include "rt/hotspot/stub_caller.h"

#include "base/libc.h"
#include "os/machine.h"
#include "rt/hotspot/reads.h"

namespace btrace::hotspot {

#if defined(__x86_64__)

namespace {

bool in(CodeArea area, u64 address) {
  return address - area.begin < area.bytes;
}

// What the call that returns there called; 0: there is none of a known form.
u64 called_before(CodeArea area, u64 returns_to) {
  u8 code[13];  // mov r10, TARGET (10 bytes); call r10
  if (!in(area, returns_to) || !in(area, returns_to - sizeof code) ||
      !read_memory(reinterpret_cast<const void*>(returns_to - sizeof code), code, sizeof code))
    return 0;
  const u8 through_register[] = {0x41, 0xff, 0xd2}, to_register[] = {0x49, 0xba};
  if (!memcmp(code + 10, through_register, sizeof through_register) && !memcmp(code, to_register, sizeof to_register)) {
    u64 target;
    memcpy(&target, code + 2, sizeof target);
    return target;
  }
  i32 distance;
  memcpy(&distance, code + 9, sizeof distance);
  return code[8] == 0xe8 ? returns_to + static_cast<u64>(i64{distance}) : 0;
}

// Stubs begin so: push rbp; mov rbp, rsp, in either of its forms. Methods do only with -XX:+PreserveFramePointer, where
// one that has not set up its frame, or has given it up, may count with its caller.
bool begins_with_frame(CodeArea area, u64 target) {
  constexpr u8 kPush = 0x55, kForms[][3] = {{0x48, 0x8b, 0xec}, {0x48, 0x89, 0xe5}};
  u8 code[4];
  if (!in(area, target) || !read_memory(reinterpret_cast<const void*>(target), code, sizeof code)) return false;
  return code[0] == kPush && (!memcmp(code + 1, kForms[0], 3) || !memcmp(code + 1, kForms[1], 3));
}

// How much stack a function takes with its first instructions: sub rsp, SIZE, and push rbp before it in some; 0: it
// begins otherwise.
u64 frame_made_at(CodeArea area, u64 target) {
  constexpr u8 kPush = 0x55, kSubtract[] = {0x48, 0x81, 0xec}, kSubtractLittle[] = {0x48, 0x83, 0xec};
  u8 code[8];
  if (!in(area, target) || !in(area, target + sizeof code) ||
      !read_memory(reinterpret_cast<const void*>(target), code, sizeof code))
    return 0;
  const u64 pushed = code[0] == kPush ? 1 : 0;
  const u8* at = code + pushed;
  if (!memcmp(at, kSubtractLittle, sizeof kSubtractLittle)) return at[3] + pushed * sizeof(u64);
  u32 size;
  memcpy(&size, at + 3, sizeof size);
  return memcmp(at, kSubtract, sizeof kSubtract) ? 0 : size + pushed * sizeof(u64);
}

}  // namespace

bool find_runtime_stub_caller(u64 pc, u64 sp, CodeArea area, u64 stack_end, Registers& caller) {
  constexpr u64 kWord = sizeof(u64), kLargestFrame = 64 * kWord, kLargestStub = 1024;
  if (sp % kWord || !in(area, pc)) return false;
  for (u64 place = sp; place < sp + kLargestFrame && place < stack_end; place += kWord) {
    const u64 returns_to = plain_read<u64>(place, 0);
    const u64 target = called_before(area, returns_to);
    if (!target || pc - target >= kLargestStub || sp + frame_made_at(area, target) != place) continue;
    caller = {returns_to, place + kWord, 0, 0};
    return true;
  }
  return false;
}

bool find_stub_caller(const Registers& at, CodeArea area, u64 stack_begin, u64 stack_end, Registers& caller) {
  constexpr u64 kWord = sizeof(u64), kFarthest = 32 * 1024;
  constexpr u64 kPushed = 1, kFramed = 4;  // so far it has come when it has pushed its caller's frame, and has its own
  constexpr u8 kReturn = 0xc3;
  // Whether the return address lies there; `stands`: how far into a stub that may be.
  const auto found = [&](u64 place, bool has_pushed, auto stands) {
    if (place % kWord || place < at.sp || place < stack_begin + kWord || place >= stack_end) return false;
    const u64 returns_to = plain_read<u64>(place, 0);
    const u64 target = called_before(area, returns_to);
    // Stubs share what they have in common: it may lie before the one that was called.
    const u64 into = at.pc - target;
    if (!target || into + kFarthest >= 2 * kFarthest || !stands(into) || !begins_with_frame(area, target)) return false;
    caller = {returns_to, place + kWord, has_pushed ? plain_read<u64>(place - kWord, 0) : at.frame, 0};
    return true;
  };
  return in(area, at.pc) &&
         (found(at.frame + kWord, true, [](u64 into) { return into >= kFramed; }) ||
          found(at.sp + kWord, true, [](u64 into) { return into == kPushed; }) ||
          found(at.sp, false, [&](u64 into) { return !into || plain_read<u8>(at.pc, 0) == kReturn; }));
}

u64 jump_target(CodeArea area, u64 address) {
  constexpr u8 kJump = 0xe9, kShortJump = 0xeb;
  u8 code[5];
  if (!in(area, address) || !in(area, address + sizeof code) ||
      !read_memory(reinterpret_cast<const void*>(address), code, sizeof code))
    return 0;
  i32 distance;
  memcpy(&distance, code + 1, sizeof distance);
  u64 target = 0;
  if (code[0] == kJump) target = address + sizeof code + static_cast<u64>(i64{distance});
  if (code[0] == kShortJump) target = address + 2 + static_cast<u64>(i64{static_cast<signed char>(code[1])});
  return in(area, target) ? target : 0;
}

#else

u64 jump_target(CodeArea, u64) {
  return 0;
}

bool find_runtime_stub_caller(u64, u64, CodeArea, u64, Registers&) {
  return false;
}

bool find_stub_caller(const Registers&, CodeArea, u64, u64, Registers&) {
  return false;
}

#endif

}  // namespace btrace::hotspot
