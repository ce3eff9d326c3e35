#pragma once
// Waits: the begin is read before the wait, the stack is captured after it.
#include "core/capture.h"
#include "core/wait_end.h"
#include "rt/hotspot/hotspot.h"

namespace btrace::hotspot {

// Class and identity hash of an object. Two JNI calls and one JVMTI call, none of which locks once the object has its
// hash.
void identify(JNIEnv* env, jobject object, u64& type, u64& identity);

// capture_wait() with this runtime's walk. `stub` stands for the stack if the thread has none.
i64 end_wait(ThreadRecord* record, SampleKind kind, const Wait& wait, u64 stub = 0);

// Captures the calling thread's stack, because it wakes or starts another one. Returns its time, or kNotCaptured.
i64 capture_waker_stack(ThreadRecord* record, SampleKind kind, u64 type, u64 object, u32 peer);

// Records the calling thread as the waker of `waiter`, and captures its stack if should_capture_wakeup().
struct Waker {
  u32 index;  // 0: nothing is recorded
  i64 time_ns;
};
Waker capture_wakeup(ThreadRecord& waiter, SampleKind kind, u64 type, u64 object);

// The thread that owns a monitor, from the monitor's owner word; nullptr if unknown.
ThreadRecord* owner_by_word(u64 owner);

// natives.cc: the JVM's natives that are points; each hook is reported.
void install_natives(Session& session);
// Called on a thread that ends: records it as the waker of the threads that wait in Thread.join for it. The JVM wakes
// them itself, without passing a hook.
void record_waker_of_joiners(JNIEnv* env, jthread thread, ThreadRecord& ended);
void remove_natives(Session& session);
void JNICALL on_vm_allocation(jvmtiEnv*, JNIEnv* env, jthread, jobject, jclass, jlong);

}  // namespace btrace::hotspot
