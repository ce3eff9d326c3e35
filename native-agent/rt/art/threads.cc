#include "base/clock.h"
#include "base/libc.h"
#include "base/pages.h"
#include "core/waits.h"
#include "os/machine.h"
#include "os/usage.h"
#include "rt/art/art.h"
#include "rt/art/points.h"
#include "rt/art/thread_state.h"

namespace btrace::art {

namespace {

constexpr size_t kStates = size_t{ThreadRegistry::kSlabRecords} * ThreadRegistry::kMaxSlabs;
ThreadState* g_states;

// Threads that were created and have not begun yet. An entry whose thread never began is written over.
struct Created {
  Atomic<u64> peer;
  Atomic<u32> creator;
  Atomic<u32> session;
};
constexpr u32 kCreated = 64;
Created g_created[kCreated];

Created& created_as(u64 peer) {
  return g_created[(peer >> 8) % kCreated];
}

// Whoever comes second, the creator or the child itself, finds what the other left.
void take_creator(ThreadRecord& child, u64 peer) {
  Created& created = created_as(peer);
  if (created.peer.load() != peer || created.session.load_relaxed() != active_session_id()) return;
  child.creator.store_relaxed(created.creator.load_relaxed());
  created.peer.store(0);
}

}  // namespace

void bind(ThreadRecord& record, ArtThread* thread, u32 art_id) {
  ThreadState* state = thread_state(record);
  // What is there is of another thread, which may have been at the same address.
  if (state && record.runtime_thread.load_relaxed() != reinterpret_cast<u64>(thread)) {
    state->allocations = state->allocated_bytes = 0;
    state->loop_message = 0;
    state->told_starts = 0;
    state->contended_monitor.store_relaxed(0);
    state->release_ns = kNotCaptured;
    state->slept.forget();
    state->kernel_name[0] = 0;
    state->named.store_relaxed(0);
    state->referred.store_relaxed(0);
  }
  g_threads.index_runtime(record, reinterpret_cast<u64>(thread));
  // What an other-thread walk asks by: ART's own id, checked by ART itself, cannot dangle.
  record.runtime_ref.store_release(reinterpret_cast<void*>(static_cast<uintptr_t>(art_id)));
}

ThreadRecord* tell_creator(u64 peer, u32 creator) {
  Created& created = created_as(peer);
  created.peer.store(0);
  created.creator.store_relaxed(creator);
  created.session.store_relaxed(active_session_id());
  created.peer.store(peer);
  ThreadRecord* child = g_threads.find_runtime(peer);
  if (child) take_creator(*child, peer);
  return child;
}

void make_thread_states() {
  if (!g_states) __atomic_store_n(&g_states, map_array<ThreadState>(kStates), __ATOMIC_RELEASE);
}

CollectionSleep::Moment this_moment() {
  return {now_ns(), own_cpu_ns(), thread_usage().voluntary_switches};
}

ThreadState* thread_state(const ThreadRecord& record) {
  ThreadState* states = __atomic_load_n(&g_states, __ATOMIC_ACQUIRE);
  return states ? states + record.slot : nullptr;
}

ThreadRecord* my_record(ArtThread* self) {
  ThreadRecord* record = g_threads.current_record();
  if (record && self && record->runtime_thread.load_relaxed() != reinterpret_cast<u64>(self))
    bind(*record, self, g_art.internals.art_id_of(self));
  return record;
}

ThreadRecord* record_of_art_id(u32 art_id) {
  if (!art_id) return nullptr;
  for (u32 slot = 0, end = g_threads.slots(); slot < end; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.runtime_ref.load_relaxed() == reinterpret_cast<void*>(static_cast<uintptr_t>(art_id)) &&
        record.state.load_acquire() == ThreadRecord::State::Live)
      return &record;
  }
  return nullptr;
}

void note_thread_start(ArtThread* self) {
  ThreadRecord* record = my_record(self);
  if (!record || record->busy.load() == Holder::Never) return;
  // One that native code created has begun before it came to Java.
  const bool was_told = record->created_in.load_relaxed() == active_session_id() && record->begin_ns.load_relaxed();
  if (!was_told) record->begin_ns.store_relaxed(now_ns());
  if (ThreadState* state = thread_state(*record))
    thread_comm(record->tid.load_relaxed(), state->kernel_name, sizeof state->kernel_name);
  take_creator(*record, reinterpret_cast<u64>(self));
}

NativeThread Art::native_thread(const char*) {
  return {kStubNative, ThreadKind::Native};
}

bool Art::counts_native_threads() {
  return tells_of_threads();
}

void Art::forget_thread(ThreadRecord& record) {
  record.runtime_thread.store_relaxed(0);
  record.runtime_ref.store_release(nullptr);
}

bool Art::enter_agent_thread(const char* name) {
  JavaVMAttachArgs arguments{JNI_VERSION_1_6, const_cast<char*>(name), nullptr};  // only read
  JNIEnv* env = nullptr;
  StartProof proof;
  proof.begin();
  // Android's jni.h wants JNIEnv**, the JDK's void**.
  if (internals.vm->functions->AttachCurrentThreadAsDaemon(internals.vm, reinterpret_cast<void**>(&env), &arguments) !=
      JNI_OK)
    return false;
  proof.end();
  // Ahead of the app's threads, of which a hundred may be running: it looks at moments, and it must be able to leave.
  // As Android does it for what draws; where it may not be, it stays as it is.
  constexpr long kThread = 0, kNice = -8;
  sys::call(sys::kSetpriority, kThread, 0, kNice);
  return true;
}

void Art::leave_agent_thread() {
  internals.vm->DetachCurrentThread();
}

}  // namespace btrace::art
