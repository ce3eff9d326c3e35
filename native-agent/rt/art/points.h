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
// From native code: the calling thread says something now.
void capture_marker(JNIEnv* env, u32 text);

// Captures the record's block, which has just ended; a short one only when the gate is open, or by force. `self`
// nullptr: the thread must not be walked here, it is collecting.
i64 end_block(ArtThread* self, ThreadRecord* record, SampleKind kind, bool force = false);

// Object.wait and Thread.sleep, which waits for the thread's own lock. The handle lies on the waiting thread's stack
// until the wait is over, and follows the object when the collector moves it: notify (natives.cc) looks through it, so
// that waiter and waker speak of the same object.
void begin_wait(ThreadRecord& record, Object* const* handle);
void end_wait(ArtThread* self, ThreadRecord& record);

// Stands for the stack where there is none. No method lies at this address.
enum Stub : u64 { kStubCollection = 1, kStubNoFrames, kStubs };

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

// callbacks.cc: of the runtime's lists, which have room for any number.
void add_callbacks(Session& session);
void remove_callbacks(Session& session);
// The runtime is being destroyed: nothing of it may be changed any more.
bool runtime_ends();

}  // namespace btrace::art
