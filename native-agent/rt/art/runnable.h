#pragma once
// The Runnable gate. A walk reads the heap, which the collector moves: it is sound only while the thread that walks
// holds ART's mutator lock shared, and it holds it exactly while its state is Runnable. Every walk asks here first.
#include "rt/art/internals.h"

namespace btrace::art {

// On the calling thread. False until the gate has been learned: nothing is walked then.
bool is_runnable(const ArtThread* self);
// The calling thread has left the runtime for code of a library, and not come back yet. False until that can be told.
bool is_in_native_code(const ArtThread* self);

// What a thread in native code wants done while it is Runnable. Object.notify is @FastNative in all versions: its
// thread stays Runnable inside. Ours (natives.cc) looks for an errand first and, when there is one, does that instead.
struct Errand {
  void (*run)(ArtThread* self, void* data);
  void* data;
  bool begun = false;
};
// From native code, with no exception pending. False: it was not done.
bool run_as_runnable(JNIEnv* env, Errand& errand);
// `body(self)`. Also for much JNI at once: a call from native code waits for each collection and suspension that is
// under way, which under many busy threads is some 100 ms a call; a Runnable thread waits for none. To be short: they
// wait for it.
template <class Body>
bool run_as_runnable(JNIEnv* env, Body& body) {
  Errand errand{[](ArtThread* self, void* data) { (*static_cast<Body*>(data))(self); }, &body};
  return run_as_runnable(env, errand);
}
// What ours calls first. True: an errand was done, and there is nothing to notify.
bool do_errand(JNIEnv* env);
// The calling thread is on an errand: the frame nearest the leaf is Object.notify's and no part of its program.
bool on_errand();

// Once ours stands in for Object.notify: learns what Runnable looks like, and walks a known stack. nullptr when both
// came out as they must, otherwise what did not.
const char* learn_to_walk(JNIEnv* env);

}  // namespace btrace::art
