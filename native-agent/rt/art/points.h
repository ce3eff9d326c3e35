#pragma once
// What captures at callbacks, listeners and replaced natives share. All are on the thread that they tell of.
#include "core/session.h"
#include "core/waits.h"
#include "rt/art/internals.h"

namespace btrace::art {

// What every object begins with.
struct Object {
  u32 klass;
  u32 lock_word;
};

// Of a lock word whose monitor is inflated: the monitor's own number (from 0) and 1, the same for who waits and who
// notifies. 0: it is not inflated.
inline u64 monitor_id(const Object* object) {
  constexpr u32 kStateShift = 30, kFat = 1, kIdMask = (1u << 28) - 1;
  return object && object->lock_word >> kStateShift == kFat ? (object->lock_word & kIdMask) + 1 : 0;
}

// What a handle holds: its first word is a 32-bit reference.
inline const Object* held_by(Object* const* handle) {
  return reinterpret_cast<const Object*>(static_cast<uintptr_t>(*reinterpret_cast<const u32*>(handle)));
}

// Of an address: what a recording's numbers hold exactly.
inline constexpr u64 kIdentityBits = (1ull << 53) - 1;

// What a sample is about; 0 where nothing is known.
struct Subject {
  u64 object;
  u64 type;  // class_key of it
  u32 peer;
  u32 text;  // number_of_text
};

// On the thread itself, while it is Runnable. The sample's time, or kNotCaptured.
i64 capture_here(ArtThread* self, ThreadRecord* record, SampleKind kind, const Subject& subject, bool force);
// From native code: the calling thread says something now; of a counter with its counted_object.
void capture_marker(JNIEnv* env, u32 text, u64 object);

// capture_wait() with this runtime's walk. `self` nullptr: the thread must not be walked here, it is collecting.
i64 end_wait(ArtThread* self, ThreadRecord* record, SampleKind kind, const Wait& wait, bool force);
// The same of the block that the record holds.
i64 end_wait(ArtThread* self, ThreadRecord* record, SampleKind kind);

// Object.wait and Thread.sleep, which waits for the thread's own lock. The handle lies on the waiting thread's stack
// until the wait is over, and follows the object when the collector moves it: notify (natives.cc) looks through it, so
// that waiter and waker speak of the same object.
void begin_object_wait(ThreadRecord& record, Object* const* handle);
void end_object_wait(ArtThread* self, ThreadRecord& record);
// The thread that the agent itself makes sleep until it is recorded, else nullptr: its sleeps are no waits of the app.
extern Atomic<ArtThread*> g_held_thread;

// Stands for the stack where there is none. No method lies at this address.
enum Stub : u64 { kStubCollection = 1, kStubNoFrames, kStubNative, kStubs };

// ArtMethod of Thread.sleep's native, 0 when it is not known.
extern u64 g_sleep_method;
// ART sleeps by waiting on the thread's own lock, which nobody can notify. `leaf`: the innermost method.
inline bool is_sleep(SampleKind kind, u64 leaf) {
  return kind == SampleKind::Wait && leaf && leaf == g_sleep_method;
}

// An object of ART's with nothing but a vtable. A virtual destructor has two entries in it.
struct VirtualObject {
  const void* const* table;
};
inline void no_destructor(void*) {}
template <class Result, class... Parameters>
const void* entry(Result (*function)(Parameters...)) {
  return reinterpret_cast<const void*>(function);
}

// heap_listeners.cc: of the heap's single places for an allocation and a pause listener. Ours never takes another's
// place.
void add_heap_listeners(Session& session);
void remove_heap_listeners(Session& session);
// The allocation listener is in: threads' allocations are counted.
bool counts_allocations();

// When the last pause for a collection ended; 0: none did.
i64 last_pause_end_ns();

// callback_registration.cc: of the runtime's lists, which have room for any number.
void add_callbacks(Session& session);
void remove_callbacks(Session& session);
// Threads tell when they begin and end, and no other thread is taken for a native one.
bool tells_of_threads();
// Between the two an agent thread attaches itself: ART must tell of its start, once.
class StartProof {
 public:
  void begin();
  void end();

 private:
  bool asks_ = false;
};
// monitor_release.cc: who releases a monitor, where libart's system calls show it.
void enable_monitor_releases(Session& session);
void disable_monitor_releases(Session& session);
// The thread waits to enter the monitor of this number (monitor_id), 0: its number is not known.
void note_contended_monitor(ThreadRecord& record, u64 monitor);
// Called on a Runnable thread that is about to give up the object's monitor in Object.wait: captures that release if
// another thread has waited for the monitor for long.
void capture_release_by_wait(ArtThread* self, ThreadRecord& record, const Object* object);
// The runtime is being destroyed: nothing of it may be changed any more.
bool runtime_ends();

}  // namespace btrace::art
