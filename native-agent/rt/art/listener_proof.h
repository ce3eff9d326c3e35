#pragma once
// Which of a listener's functions ART calls when follows from their order in its class. No version promises that order,
// and memory does not show it. So the agent makes ART call the listener: it does something that the listener must be
// told of, and sees whether what comes is that. Until then no call is believed and no argument is followed.
#include <jni.h>

#include "base/atomic.h"
#include "os/process.h"
#include "rt/art/points.h"

namespace btrace::art {

class ListenerProof {
 public:
  bool holds() const { return holds_.load_acquire() != 0; }
  void forget() { holds_.store_relaxed(0); }
  // `act` makes ART call `calls` functions of the listener on this thread, one after the other. False: it did not.
  template <class Act>
  bool prove(u32 calls, Act act) {
    forget();
    seen_.store_relaxed(0);
    asking_tid_.store_release(own_tid());
    act();
    asking_tid_.store_release(0);
    holds_.store_release(seen_.load_relaxed() == calls);
    return holds();
  }
  // The calling thread is the one that makes ART call. Other threads' calls prove nothing.
  bool is_asking() const {
    const u32 tid = asking_tid_.load_acquire();
    return tid && tid == own_tid();
  }
  // On the asking thread: the function that must be called at this place, from 0 on, was called, and with what it must
  // be called with.
  void see(u32 place) {
    if (seen_.load_relaxed() == place) seen_.store_relaxed(place + 1);
  }

 private:
  Atomic<u32> asking_tid_;  // 0: nobody asks
  Atomic<u32> seen_;
  Atomic<u32> holds_;
};

// What the agent does in ART, and what comes of it. The calling thread is attached, in native code.

// A byte array of a length that no other has.
inline constexpr u32 kProofArrayLength = 3001;
jobject new_proof_array(JNIEnv* env);
// By checked reads alone: `reference` may be anything.
bool is_proof_array(uintptr_t reference);
// The 32-bit reference that a handle holds, 0 if it cannot be read.
u32 reference_in(const void* handle);
// The bytes that an allocator may take for it: header and rounding make a page more at most.
inline bool may_be_proof_array(size_t bytes) {
  return bytes >= kProofArrayLength && bytes <= kProofArrayLength + 4096;
}

// Waits for that array, which nobody can notify. Tells of the wait's begin, then of its end.
inline constexpr i64 kProofWaitMs = 1;
void wait_for_proof_array(JNIEnv* env);
// Tells of the park's begin, then of its end.
inline constexpr i64 kProofParkNs = 30'011;
void park_as_proof(JNIEnv* env);
// Makes a class that was not there: each call an array of one dimension more, for ART keeps them.
void load_proof_class(JNIEnv* env);
// By checked reads alone: an object whose class is java.lang.Class.
bool is_class_object(uintptr_t reference);

// ---------------------------------------------------------------- pauses

// Tells whether ART has stopped all threads, by the bit of a thread's flags that asks it to stop. The bit is learned
// from a stop of the agent's own.
class StopFlag {
 public:
  // In Thread's first word, below the state.
  static u32 flags_of(const ArtThread* thread);

  // Learns the bit from the flags of one thread before, during and after a stop: the only one that is set by the stop
  // alone. False: they do not show it. Called on one thread.
  bool learn(u32 before, u32 during, u32 after);
  bool is_known() const { return bit_.load_relaxed() != 0; }
  bool is_set(const ArtThread* thread) const { return flags_of(thread) & bit_.load_relaxed(); }

 private:
  Atomic<u32> bit_;
  u32 supposed_ = 0;  // by a stop beside which something else was asked for
};
extern StopFlag g_stop_flag;

}  // namespace btrace::art
