#pragma once
// Where the runtime keeps its thread list, its heap and the ids in Thread: found by their shape, never by a version's
// number, and taken only when two facts that do not follow from each other say the same. What cannot be proven so stays
// unknown and `doubt` says why: whatever would be written to or called with it is then left alone.
#include "base/types.h"

namespace btrace::art {

// Of a library: from the first to the last byte that is loaded of it.
struct Image {
  const u8* begin = nullptr;
  const u8* end = nullptr;
  bool holds(const void* at) const { return at >= begin && at < end; }
};

// What is known beforehand.
struct Anchors {
  u8* runtime;
  const void* vm;
  const u8* self;   // art::Thread of the calling thread
  u32 tid;          // the kernel's id of it
  u32 pid;
  Image libart;
  u32 live_object;  // the address of any Java object
};

struct Found {
  u8* at = nullptr;
  const char* doubt = "it was not looked for";
};

struct Places {
  Found thread_list;
  Found heap;
  u32 thread_tid = 0;  // from art::Thread: the kernel's id; ART's own id is the word before it
  const char* tid_doubt = "it was not looked for";
  const u8* main_thread = nullptr;  // art::Thread of the process's first thread, if it is another than the calling one
};

// By checked reads alone. True: threads came and went meanwhile, another look may find more.
bool find_places(const Anchors& anchors, Places& places);

}  // namespace btrace::art
