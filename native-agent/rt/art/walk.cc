// Stacks through ART's own StackVisitor. Only on a thread that is Runnable, or of one that is suspended: the walk reads
// the heap, which the collector moves under any other.
#include "core/session.h"
#include "rt/art/art.h"

namespace btrace::art {

namespace {

// An art::StackVisitor with its fields in `room` (it had 200 to 600 bytes over the versions), and ours behind it.
struct Visitor {
  const void* table;
  u8 room[2048];
  const Internals* art;
  Frame* frames;
  u32 limit;
  u32 count;
};

bool visit_frame(Visitor* visitor) {
  const Internals& art = *visitor->art;
  ArtMethod* method = art.as<ArtMethod*(const void*)>(Need::GetMethod)(visitor);
  // No method: a transition. No declaring class: one of ART's own trampolines, called <runtime method>.
  if (!method || !*reinterpret_cast<const u32*>(method)) return true;
  constexpr u32 kNoDexPc = 0xffffffff;
  u32 pc = art.as<u32(const void*, bool)>(Need::GetDexPc)(visitor, false);
  u32 at = visitor->count++;
  // Deeper than there is room: the half nearest the root runs round in the second half.
  u32 half = visitor->limit / 2;
  if (at >= visitor->limit) at = half + (at - half) % (visitor->limit - half);
  visitor->frames[at] = {reinterpret_cast<u64>(method), pc == kNoDexPc ? -1 : static_cast<i64>(pc)};
  return true;
}

void no_destructor(void*) {}

// The vtable of a class that has a virtual destructor (two entries) and one more virtual function.
const void* const kVisitorTable[] = {reinterpret_cast<void*>(no_destructor), reinterpret_cast<void*>(no_destructor),
                                     reinterpret_cast<void*>(visit_frame)};

void reverse(Frame* from, Frame* to) {
  while (from < --to) {
    Frame kept = *from;
    *from++ = *to;
    *to = kept;
  }
}

}  // namespace

u32 walk_stack(const Internals& art, ArtThread* thread, Frame* frames, u32 limit, u16& flags) {
  constexpr u32 kIncludeInlinedFrames = 0;
  Visitor visitor;
  visitor.art = &art;
  visitor.frames = frames;
  visitor.limit = limit;
  visitor.count = 0;
  art.as<void(void*, ArtThread*, void*, u32, bool)>(Need::VisitorConstructor)(&visitor, thread, nullptr,
                                                                              kIncludeInlinedFrames, false);
  visitor.table = kVisitorTable;
  art.as<void(void*, bool)>(Need::WalkStack)(&visitor, false);
  if (visitor.count <= limit) return visitor.count;
  flags |= kFlagCut;
  // The ring of the second half is turned so that it begins with its oldest entry.
  u32 half = limit / 2;
  Frame* ring = frames + half;
  Frame* end = frames + limit;
  Frame* oldest = ring + (visitor.count - half) % (limit - half);
  reverse(ring, oldest);
  reverse(oldest, end);
  reverse(ring, end);
  return limit;
}

}  // namespace btrace::art
