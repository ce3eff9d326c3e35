#include "os/native_stack.h"

#include "base/libc.h"
#include "base/pages.h"
#include "os/machine.h"

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

// The part of a stack above a managed thread's interrupted function, which is known to be there.
class OwnStack {
 public:
  explicit OwnStack(const NativeStackRange& range) : range_(range) {}
  bool holds_frame(uintptr_t cfa) const { return cfa <= range_.managed; }
  bool read(uintptr_t at, uintptr_t sp, uintptr_t& word) const {
    if (at % sizeof word || at < sp - kRedZone || at > range_.end - sizeof word) return false;
    memcpy(&word, reinterpret_cast<const void*>(at), sizeof word);
    return true;
  }

 private:
  const NativeStackRange& range_;
};

// A stack whose end is not known: copied by checked reads, a part at a time.
class CheckedStack {
 public:
  explicit CheckedStack(uintptr_t sp) : lowest_(sp - kRedZone) {}
  bool holds_frame(uintptr_t cfa) const { return cfa - lowest_ < kLargest; }
  bool read(uintptr_t at, uintptr_t sp, uintptr_t& word) {
    if (at % sizeof word || at < sp - kRedZone || at - lowest_ >= kLargest) return false;
    if (at - part_ >= bytes_) {
      bytes_ = 0;
      // Pages are there or not as a whole.
      const size_t wanted = min_of(sizeof copy_, kPage - at % kPage);
      if (!read_memory(reinterpret_cast<const void*>(at), copy_, wanted)) return false;
      part_ = at;
      bytes_ = wanted;
    }
    memcpy(&word, reinterpret_cast<const u8*>(copy_) + (at - part_), sizeof word);
    return true;
  }

 private:
  static constexpr size_t kPage = 4096, kLargest = size_t{64} << 20;
  const uintptr_t lowest_;
  uintptr_t part_ = 0;
  size_t bytes_ = 0;  // a multiple of a word
  uintptr_t copy_[128];
};

template <class Stack>
bool recover(const UnwindRule::Word& how, uintptr_t cfa, const Registers& now, Stack& stack, uintptr_t& word) {
  switch (how.how) {
    case UnwindRule::Saved::Kept: return true;
    case UnwindRule::Saved::AtCfa: return stack.read(cfa + static_cast<uintptr_t>(how.offset), now.sp, word);
    case UnwindRule::Saved::AtFrame: return stack.read(now.frame + static_cast<uintptr_t>(how.offset), now.sp, word);
    case UnwindRule::Saved::Lost: break;
  }
  return false;
}

// From a function's registers to its caller's. `has_called`: it is not the one that was interrupted.
template <class Stack>
bool step(const UnwindRule& rule, Stack& stack, bool has_called, Registers& now) {
  uintptr_t cfa = (rule.base == UnwindRule::Base::Frame ? now.frame : now.sp) + static_cast<uintptr_t>(rule.offset);
  if (rule.by_word && !stack.read(cfa, now.sp, cfa)) return false;
  // Each frame lies above the one it called; one that was interrupted may have none where calls leave nothing there.
  if (!stack.holds_frame(cfa) || cfa < now.sp || (has_called && cfa == now.sp)) return false;
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
  if (!table.bytes || !find_unwind_rule(table, place.address, images.is_kept(place.image), rule)) return false;
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
  OwnStack own(stack);
  Registers now = from;
  NativePlace place{now.pc, 0};
  for (u32 count = 0; count < kMost;) {
    place.image = images.number_of(place.address);
    UnwindRule rule;
    if (place.image == Images::kNone || !find_rule(images, place, rule) || !step(rule, own, count, now)) return 0;
    places[count++] = place;
    if (now.sp == stack.managed) return count;
    // What a call returns to may be another function's, or another place's.
    place.address = now.pc - 1;
  }
  return 0;
}

NativeWalk NativeStacks::walk_all(Images& images, const Registers& from, NativePlace* places, u32 limit) {
  CheckedStack stack(from.sp);
  Registers now = from;
  NativePlace place{now.pc, 0};
  NativeWalk walk{0, false};
  while (walk.count < limit) {
    place.image = images.number_of(place.address);
    if (place.image == Images::kNone) break;
    const bool has_called = walk.count > 0;
    places[walk.count++] = place;
    UnwindRule rule;
    if (!find_rule(images, place, rule)) break;
    // What a thread begins with has no caller, and its table says so.
    walk.is_whole = rule.link.how == UnwindRule::Saved::Lost;
    if (walk.is_whole || !step(rule, stack, has_called, now)) break;
    place.address = now.pc - 1;
  }
  return walk;
}

bool NativeStacks::find_caller_in(Images& images, const Registers& from, const NativeStackRange& stack, uintptr_t code,
                                  uintptr_t code_bytes, Registers& caller) {
  if (from.sp < stack.begin || from.sp >= stack.end) return false;
  const NativeStackRange range{stack.begin, stack.end, stack.end};
  OwnStack whole(range);
  caller = from;
  for (u32 count = 0; count < kMost; count++) {
    if (caller.pc - code < code_bytes) return true;
    const uintptr_t address = caller.pc - 1;
    const NativePlace place{address, images.number_of(address)};
    UnwindRule rule;
    if (place.image == Images::kNone || !find_rule(images, place, rule) || !step(rule, whole, true, caller))
      return false;
  }
  return false;
}

}  // namespace btrace
