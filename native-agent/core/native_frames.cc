#include "core/native_frames.h"

#include "os/machine.h"

namespace btrace {

namespace {

// The walk takes some 10 KB of the stack that it runs on, and a native thread may have asked for very little.
bool has_room_below(uintptr_t sp) {
  constexpr u32 kPages = 4, kPage = 4096;
  u8 bytes[kPages];
  for (u32 page = 0; page < kPages; page++)
    if (!read_memory(reinterpret_cast<const void*>(sp - (page + 1) * kPage), bytes + page, 1)) return false;
  return true;
}

}  // namespace

u32 walk_native(Session& session, const Registers& at, Frame* frames, bool& is_whole) {
  Images& images = session.images;
  auto frame_of = [&](const NativePlace& place) {
    return Frame{place.address - images.at(place.image).base, kFirstImage + place.image};
  };
  is_whole = false;
  if (!has_room_below(reinterpret_cast<uintptr_t>(__builtin_frame_address(0)))) {
    const u32 image = images.number_of(at.pc);
    if (image == Images::kNone) return 0;
    frames[0] = frame_of({at.pc, image});
    return 1;
  }
  NativePlace places[NativeStacks::kMost];
  const NativeWalk walk = session.natives.walk_all(images, at, places, NativeStacks::kMost);
  u32 count = 0;
  // Between a call that is redirected and the function that was called stands the agent.
  for (u32 i = 0; i < walk.count; i++)
    if (!images.is_left_out(places[i].image)) frames[count++] = frame_of(places[i]);
  is_whole = walk.is_whole;
  return count;
}

}  // namespace btrace
