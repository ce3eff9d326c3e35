#pragma once
// Points that last: begin is noted before the wait, the stack is captured after it.
#include "core/capture.h"
#include "core/waits.h"
#include "rt/hotspot/hotspot.h"

namespace btrace::hotspot {

// Class and identity hash of an object. Two JNI calls and one JVMTI call, none of which locks once the object has its
// hash.
void identify(JNIEnv* env, jobject object, u64& type, u64& identity);

// Captures the block that has just ended. Those as long as the capture interval are never left out. The sample's time
// (its begin) since the session's origin, or kNotCaptured. A
// `stub` stands for the stack where there is none.
i64 end_block(ThreadRecord* record, SampleKind kind, const Blocked& block, u64 stub = 0);

// Takes the calling thread's stack now, because it ends the wait of another one. Its time, or kNotCaptured.
i64 capture_release(ThreadRecord* record, SampleKind kind, u64 type, u64 object, u32 peer);

// The same where that other thread waits, with a stack if its wait is worth one. Says to it who ends its wait, and
// when.
struct Waker {
  u32 index;  // 0: nothing is recorded
  i64 time_ns;
};
Waker release(ThreadRecord& waiter, SampleKind kind, u64 type, u64 object);

// Who has a monitor, by its owner's word; nullptr if that cannot be told.
ThreadRecord* owner_by_word(u64 owner);

// natives.cc: the JVM's natives that are points; each hook is reported.
void install_natives(Session& session);
void remove_natives(Session& session);
void JNICALL on_vm_allocation(jvmtiEnv*, JNIEnv* env, jthread, jobject, jclass, jlong);

}  // namespace btrace::hotspot
