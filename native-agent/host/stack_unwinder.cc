#include "host/stack_unwinder.h"

#include <string.h>

namespace btrace::host {

namespace {

u64 unsigned_address(u64 address) {
#if defined(__aarch64__)
  return address & ((u64{1} << 48) - 1);
#else
  return address;
#endif
}

class CopiedStack {
 public:
  explicit CopiedStack(const KernelSample& sample)
      : begin_(sample.registers.sp), bytes_(sample.stack_bytes), copy_(sample.stack) {}
  bool read(u64 at, u64& word) const {
    if (at % sizeof word || at < begin_ || bytes_ < sizeof word || at - begin_ > bytes_ - sizeof word) return false;
    memcpy(&word, copy_ + (at - begin_), sizeof word);
    return true;
  }

 private:
  u64 begin_, bytes_;
  const u8* copy_;
};

bool recover(const UnwindRule::Word& how, u64 cfa, const UserRegisters& now, const CopiedStack& stack, u64& word) {
  switch (how.how) {
    case UnwindRule::Saved::Kept: return true;
    case UnwindRule::Saved::AtCfa: return stack.read(cfa + static_cast<u64>(i64{how.offset}), word);
    case UnwindRule::Saved::AtFrame: return stack.read(now.frame + static_cast<u64>(i64{how.offset}), word);
    case UnwindRule::Saved::Lost: break;
  }
  return false;
}

// From a function's registers to its caller's. `has_called`: it is not the one that was interrupted.
bool step_by_rule(const UnwindRule& rule, const CopiedStack& stack, bool has_called, UserRegisters& now) {
  u64 cfa = (rule.base == UnwindRule::Base::Frame ? now.frame : now.sp) + static_cast<u64>(i64{rule.offset});
  if (rule.by_word && !stack.read(cfa, cfa)) return false;
  if (cfa < now.sp || (has_called && cfa == now.sp)) return false;
  // Where it is kept in its register it was overwritten by the call.
  if (has_called && rule.link.how == UnwindRule::Saved::Kept) return false;
  UserRegisters caller = now;
  if (!recover(rule.link, cfa, now, stack, caller.link) || !recover(rule.frame, cfa, now, stack, caller.frame))
    return false;
  caller.pc = unsigned_address(caller.link);
  caller.sp = cfa;
  now = caller;
  return true;
}

// A frame pointer's word is the caller's frame pointer, and the next one is where the call returns to.
bool step_by_frame(const CopiedStack& stack, UserRegisters& now) {
  u64 frame, link;
  if (now.frame < now.sp || !stack.read(now.frame, frame) || !stack.read(now.frame + 8, link)) return false;
  now = {frame, link, now.frame + 16, unsigned_address(link)};
  return true;
}

}  // namespace

void StackUnwinder::put(u64 address, Frame& frame) {
  const TargetImage* image = images_.at(address);
  frame = image ? Frame{address - image->load_address, kFirstImage + i64{image->id}}
                : Frame{kUnknownCode, -1};
}

const UnwindRule* StackUnwinder::rule_at(const TargetImage& image, u64 address) {
  Slot& slot = rules_[(address * 0x9E3779B97F4A7C15ull) >> 50];
  static_assert(kSlots == size_t{1} << 14);
  if (slot.address != address || slot.version != images_.version()) {
    slot.address = address;
    slot.version = images_.version();
    const u64 own = address - image.load_address + image.unwind_bias;
    slot.is_known = image.unwind.bytes && find_unwind_rule(image.unwind, own, false, slot.rule);
  }
  return slot.is_known ? &slot.rule : nullptr;
}

// The kernel's chain behind the caller that was found last, which it went through as well.
u32 StackUnwinder::append_chain(const KernelSample& sample, u64 from, Frame* frames, u32 count) {
  u64 at = 0;
  while (at < sample.chain_length && sample.chain[at] != from) at++;
  for (at++; at < sample.chain_length && count < kMostFrames; at++)
    if (sample.chain[at] < PERF_CONTEXT_MAX && sample.chain[at])
      put(unsigned_address(sample.chain[at]) - 1, frames[count++]);
  return count;
}

StackUnwinder::Stack StackUnwinder::walk(const KernelSample& sample, Frame* frames) {
  Stack walked{0, false, false};
  if (!sample.has_registers || !sample.stack_bytes) {
    // At a thread's end it has no stack any more.
    for (u64 i = 0; i < sample.chain_length && walked.count < kMostFrames; i++)
      if (sample.chain[i] < PERF_CONTEXT_MAX) {
        put(sample.chain[i] - (walked.count ? 1 : 0), frames[walked.count]);
        walked.count++;
      }
    return walked;
  }
  const CopiedStack stack(sample);
  UserRegisters now = sample.registers;
  u64 address = now.pc;
  walked.by_tables = true;
  while (walked.count < kMostFrames) {
    const TargetImage* image = images_.at(address);
    if (!image && walked.count) return walked;
    const bool has_called = walked.count > 0;
    put(address, frames[walked.count++]);
    const UnwindRule* rule = image ? rule_at(*image, address) : nullptr;
    if (rule && rule->link.how == UnwindRule::Saved::Lost) {
      walked.is_whole = true;
      return walked;
    }
    const u64 returned_to = now.pc;
    walked.by_tables &= rule != nullptr;
    const bool stepped = rule ? step_by_rule(*rule, stack, has_called, now) : step_by_frame(stack, now);
    if (!stepped) {
      if (has_called) walked.count = append_chain(sample, returned_to, frames, walked.count);
      return walked;
    }
    if (!now.pc) {
      walked.is_whole = true;
      return walked;
    }
    address = now.pc - 1;
  }
  return walked;
}

}  // namespace btrace::host
