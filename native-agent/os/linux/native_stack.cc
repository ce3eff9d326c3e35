#include "os/linux/native_stack.h"

#include "base/libc.h"
#include "base/pages.h"

namespace btrace {

namespace {

constexpr u64 kFactor = 0x9E3779B97F4A7C15ull;

// Two threads may write at once: parts of both belong to no address.
u64 check_of(u64 key, const u64 (&words)[2]) {
  return key ^ (words[0] ^ (words[1] << 32 | words[1] >> 32) * kFactor) * kFactor;
}

// Of an address as a call leaves it: the processor may have signed it.
uintptr_t unsigned_address(uintptr_t address) {
#if defined(__aarch64__)
  constexpr u32 kAddressBits = 48;
  return address & ((uintptr_t{1} << kAddressBits) - 1);
#else
  return address;
#endif
}

// What a function has taken from its stack again lies below it, and is left alone by the kernel for so many bytes.
#if defined(__x86_64__)
constexpr uintptr_t kRedZone = 128;
#else
constexpr uintptr_t kRedZone = 0;
#endif

bool read_word(uintptr_t at, uintptr_t sp, const NativeStackRange& stack, uintptr_t& word) {
  if (at % sizeof word || at < sp - kRedZone || at > stack.end - sizeof word) return false;
  memcpy(&word, reinterpret_cast<const void*>(at), sizeof word);
  return true;
}

bool recover(const UnwindRule::Word& how, uintptr_t cfa, const Registers& now, const NativeStackRange& stack,
             uintptr_t& word) {
  switch (how.how) {
    case UnwindRule::Saved::Kept: return true;
    case UnwindRule::Saved::AtCfa: return read_word(cfa + static_cast<uintptr_t>(how.offset), now.sp, stack, word);
    case UnwindRule::Saved::AtFrame:
      return read_word(now.frame + static_cast<uintptr_t>(how.offset), now.sp, stack, word);
    case UnwindRule::Saved::Lost: break;
  }
  return false;
}

// From a function's registers to its caller's. `has_called`: it is not the one that was interrupted.
bool step(const UnwindRule& rule, const NativeStackRange& stack, bool has_called, Registers& now) {
  uintptr_t cfa = (rule.base == UnwindRule::Base::Frame ? now.frame : now.sp) + static_cast<uintptr_t>(rule.offset);
  if (rule.by_word && !read_word(cfa, now.sp, stack, cfa)) return false;
  // Each frame lies above the one it called; one that was interrupted may have none where calls leave nothing there.
  if (cfa > stack.managed || cfa < now.sp || (has_called && cfa == now.sp)) return false;
  Registers caller = now;
  // Where it is kept in its register it was overwritten by the call.
  if (has_called && rule.link.how == UnwindRule::Saved::Kept) return false;
  if (!recover(rule.link, cfa, now, stack, caller.link) || !recover(rule.frame, cfa, now, stack, caller.frame))
    return false;
  caller.pc = unsigned_address(caller.link);
  caller.sp = cfa;
  now = caller;
  return true;
}

}  // namespace

bool NativeStacks::init() {
  return (slots_ = map_array<Slot>(kSlots)) != nullptr;
}

void NativeStacks::release() {
  unmap_array(slots_, kSlots);
}

size_t NativeStacks::touched_bytes() const {
  return slots_ ? kSlots * sizeof(Slot) : 0;
}

bool NativeStacks::find_rule(const Images& images, const NativePlace& place, UnwindRule& rule) {
  static_assert(sizeof rule == sizeof(Slot::words));
  // An image that has come since may lie where another was.
  const u64 key = (place.address ^ u64{images.count()} << 48) * kFactor;
  Slot& slot = slots_[key >> 52];
  static_assert(kSlots == 1u << 12);
  u64 words[2] = {slot.words[0].load_relaxed(), slot.words[1].load_relaxed()};
  if (words[0] && slot.check.load_relaxed() == check_of(key, words)) {
    memcpy(&rule, words, sizeof rule);
    return true;
  }
  const UnwindTable& table = images.at(place.image).unwind;
  if (!table.bytes || !find_unwind_rule(table, place.address, rule)) return false;
  memcpy(words, &rule, sizeof words);
  slot.words[0].store_relaxed(words[0]);
  slot.words[1].store_relaxed(words[1]);
  slot.check.store_relaxed(check_of(key, words));
  return true;
}

u32 NativeStacks::walk(Images& images, const Registers& from, const NativeStackRange& stack, NativePlace* places) {
  // In the lowest part of a stack lie pages that nobody may touch, by which its end is known.
  constexpr uintptr_t kGuarded = 8;
  if (stack.managed <= stack.begin || stack.managed >= stack.end || from.sp >= stack.managed ||
      from.sp < stack.begin + (stack.end - stack.begin) / kGuarded)
    return 0;
  Registers now = from;
  NativePlace place{now.pc, 0};
  for (u32 count = 0; count < kMost;) {
    place.image = images.number_of(place.address);
    UnwindRule rule;
    if (place.image == Images::kNone || !find_rule(images, place, rule) || !step(rule, stack, count, now)) return 0;
    places[count++] = place;
    if (now.sp == stack.managed) return count;
    // What a call returns to may be another function's, or another place's.
    place.address = now.pc - 1;
  }
  return 0;
}

}  // namespace btrace
