#pragma once
// The agent's callbacks in ART's lists. callbacks.cc has what ART calls; callback_registration.cc adds, proves and
// removes them.
#include "rt/art/listener_proof.h"
#include "rt/art/points.h"

namespace btrace::art {

// One of ART's lists, which has room for any number of callbacks, and the agent's callback for it.
struct Callback {
  const char* name;
  Need add;
  Need remove;
  // Nothing else is captured without: 0.
  u64 kinds;
  VirtualObject object;
  bool added;
  // What the agent does for ART to call it: nullptr where each call is judged by itself.
  ListenerProof* proof;
  bool proven_once;  // what the act leaves in ART stays there, so once in a process is enough
  u32 calls;
  void (*act)(JNIEnv* env);
};
inline constexpr u32 kCallbacks = 5;
extern Callback g_callbacks[kCallbacks];

// The class load callback's functions as this version calls them. nullptr: it does not show which version it is.
const void* const* class_table(const Internals& art);

// A thread tells of itself alone, and an agent thread that attaches itself tells of its start, once.
extern Atomic<u32> g_tells_of_threads;  // the callback is in
extern Atomic<u32> g_tells_wrongly;     // a call of this session was otherwise

extern void (*g_when_ready)();

}  // namespace btrace::art
