#include "rt/hotspot/stub_caller.h"

#include "base/libc.h"
#include "os/linux/machine.h"
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

}  // namespace

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

#else

bool find_stub_caller(const Registers&, CodeArea, u64, u64, Registers&) {
  return false;
}

#endif

}  // namespace btrace::hotspot
