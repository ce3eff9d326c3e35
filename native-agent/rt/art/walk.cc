// Stacks through ART's own StackVisitor, by a thread that is Runnable, of itself or of one that it keeps suspended.
#include "core/recorder.h"
#include "core/session.h"
#include "os/fault_guard.h"
#include "rt/art/art.h"
#include "rt/art/method_code.h"
#include "rt/art/runnable.h"
#include "rt/art/walk_marker.h"

namespace btrace::art {

namespace {

// An art::StackVisitor with its fields in `room` (it had 200 to 600 bytes over the versions), and ours behind it.
struct Visitor {
  const void* table;
  u8 room[2048];
  u64 behind_room;
  const Internals* art;
  Frame* frames;
  u32 limit;
  u32 count;
  u32 skip;  // frames nearest the leaf that are none of the program's
};

bool visit_frame(Visitor* visitor) {
  const Internals& art = *visitor->art;
  ArtMethod* method = art.as<ArtMethod*(const void*)>(Need::GetMethod)(visitor);
  // No method: a transition. No declaring class: one of ART's own trampolines, called <runtime method>.
  if (!method || !*reinterpret_cast<const u32*>(method)) return true;
  if (visitor->skip) return visitor->skip--, true;
  constexpr u32 kNoDexPc = 0xffffffff;
  u32 pc = art.as<u32(const void*, bool)>(Need::GetDexPc)(visitor, false);
  u32 at = visitor->count++;
  // Deeper than there is room: the half nearest the root runs round in the second half.
  u32 half = visitor->limit / 2;
  if (at >= visitor->limit) at = half + (at - half) % (visitor->limit - half);
  visitor->frames[at] = {method_code(method), pc == kNoDexPc ? -1 : static_cast<i64>(pc)};
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

struct Walk {
  ArtThread* thread;
  Visitor* visitor;
};

// As long as the constructor and the walk leave it alone, there is room enough.
constexpr u64 kBehindRoom = 0x5ca1'ab1e'0ddb'a115;

void walk(void* data) {
  constexpr u32 kIncludeInlinedFrames = 0;
  auto& [thread, visitor] = *static_cast<Walk*>(data);
  const Internals& art = *visitor->art;
  // Without a context, as ART walks for its own stack traces: it is for who reads registers, and each is allocated.
  art.as<void(void*, ArtThread*, void*, u32, bool)>(Need::VisitorConstructor)(visitor, thread, nullptr,
                                                                              kIncludeInlinedFrames, false);
  visitor->table = kVisitorTable;
  art.as<void(void*, bool)>(Need::WalkStack)(visitor, false);
}

Atomic<bool> g_met_damage;

void stop_for_good() {
  g_met_damage.store(true);
  finish_recording(EndReason::Fault, "reading a stack met memory that is not there; the app goes on", 0);
}

}  // namespace

WalkMarker g_walk_marker;

bool walks_met_damage() {
  return g_met_damage.load();
}

i32 walk_stack(ArtThread* self, ArtThread* thread, Frame* frames, u32 limit, u16& flags) {
  if (!is_runnable(self)) {
    flags |= kFlagNativeState;
    return kNotWalked;
  }
  if (g_met_damage.load_relaxed()) {
    flags |= kFlagWalkFailed;
    return kNotWalked;
  }
  Visitor visitor;
  visitor.behind_room = kBehindRoom;
  visitor.art = &g_art.internals;
  visitor.frames = frames;
  visitor.limit = limit;
  visitor.count = 0;
  visitor.skip = thread == self && on_errand() ? 1 : 0;
  Walk data{thread, &visitor};
  g_walk_marker.enter();
  const bool whole = guarded(walk, &data) && visitor.behind_room == kBehindRoom;
  g_walk_marker.leave();
  if (!whole) {
    stop_for_good();
    flags |= kFlagWalkFailed;
    return kNotWalked;
  }
  if (visitor.count <= limit) return static_cast<i32>(visitor.count);
  flags |= kFlagCut;
  // The ring of the second half is turned so that it begins with its oldest entry.
  u32 half = limit / 2;
  Frame* ring = frames + half;
  Frame* end = frames + limit;
  Frame* oldest = ring + (visitor.count - half) % (limit - half);
  reverse(ring, oldest);
  reverse(oldest, end);
  reverse(ring, end);
  return static_cast<i32>(limit);
}

}  // namespace btrace::art
