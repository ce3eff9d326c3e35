// Other threads, from the agent's own: by JVMTI, whose checkpoint suspends nobody and needs no private symbol; where
// there is none, or it does not tell, suspended by id, walked, resumed.
#include "core/external_sampler.h"

#include "base/clock.h"
#include "rt/art/art.h"
#include "rt/art/jni_lookup.h"
#include "rt/art/jvmti_walk.h"
#include "rt/art/points.h"
#include "rt/art/runnable.h"
#include "rt/art/thread_state.h"

namespace btrace::art {

namespace {

constexpr u32 kInternalReason = 0;

// ART waits for some seconds. From Android 15 on it ends the process then, but after the first three attempts of a
// caller that has four: each of ours is a first one.
constexpr i32 kFirstAttempt = 1;

ArtThread* suspend_by_id(const Internals& art, u32 art_id, bool& timed_out) {
  u8* list = art.places.thread_list.at;
  if (art.variant(Need::SuspendByThreadId) == kSuspendAttempt) {
    ArtThread* thread = art.as<ArtThread*(u8*, u32, u32, i32)>(Need::SuspendByThreadId)(list, art_id, kInternalReason,
                                                                                        kFirstAttempt);
    // Or it has just ended: this form does not say.
    timed_out = !thread;
    return thread;
  }
  if (art.variant(Need::SuspendByThreadId) == kSuspendForDebugger)
    return art.as<ArtThread*(u8*, u32, bool, bool*)>(Need::SuspendByThreadId)(list, art_id, false, &timed_out);
  return art.as<ArtThread*(u8*, u32, u32, bool*)>(Need::SuspendByThreadId)(list, art_id, kInternalReason, &timed_out);
}

// In between the thread stands still and the walk is all that is done: first suspended, then the walker made Runnable.
// The other way round ART would wait for itself.
i32 walk_suspended(const Internals& art, u32 art_id, u32 tid, Frame* frames, u32 limit, u16& flags) {
  bool timed_out = false;
  ArtThread* thread = suspend_by_id(art, art_id, timed_out);
  if (!thread) return timed_out ? Runtime::kTimedOut : 0;
  i32 count = 0;
  auto walk = [&](ArtThread* self) { count = walk_stack(self, thread, frames, limit, flags); };
  // ART gives ids again: it may be another one's by now.
  if (art.tid_of(thread) == tid) {
    count = kNotWalked;
    run_as_runnable(art.env(), walk);
  }
  art.as<bool(u8*, ArtThread*, u32)>(Need::Resume)(art.places.thread_list.at, thread, kInternalReason);
  return count;
}

// ---------------------------------------------------------------- by JVMTI

// One for each group of threads, opened before the samplers begin, and then its sampler's, as are the references of its
// threads.
struct Group {
  JvmtiWalk jvmti;
  i64 next_look_ns;
};
Group g_groups[kThreadGroups];
constexpr i64 kLookAgainNs = 100 * kNsPerMs;

// Weak ones: the agent keeps no thread's object alive.
void refer_to(JNIEnv* env, jobject java, ArtThread* thread, u32 group) {
  ThreadRecord* record = g_threads.find_runtime(reinterpret_cast<u64>(thread));
  ThreadState* state = record && group_of(*record) == group ? thread_state(*record) : nullptr;
  if (!state || state->referred.load_relaxed() == reinterpret_cast<u64>(thread)) return;
  if (state->reference) env->DeleteWeakGlobalRef(static_cast<jweak>(state->reference));
  state->reference = env->NewWeakGlobalRef(java);
  state->referred.store_relaxed(reinterpret_cast<u64>(thread));
}

// A local reference; nullptr when Java does not know the thread (yet), or no more.
jthread thread_of(JNIEnv* env, const ThreadRecord& record) {
  const u64 peer = record.runtime_thread.load_relaxed();
  ThreadState* state = thread_state(record);
  if (!peer || !state) return nullptr;
  if (state->referred.load_relaxed() != peer) {
    const u32 group = group_of(record);
    if (now_ns() < g_groups[group].next_look_ns) return nullptr;
    g_groups[group].next_look_ns = now_ns() + kLookAgainNs;
    // Much JNI: runnable.h says why it is done so.
    auto refer = [&](ArtThread*) { each_java_thread(env, refer_to, group); };
    if (!run_as_runnable(env, refer)) each_java_thread(env, refer_to, group);
  }
  return state->referred.load_relaxed() == peer ? env->NewLocalRef(static_cast<jweak>(state->reference)) : nullptr;
}

i32 walk_by_jvmti(JNIEnv* env, const ThreadRecord& record, Frame* frames, u32 limit, u16& flags) {
  LocalFrame frame(env, 16);
  jthread thread = frame ? thread_of(env, record) : nullptr;
  return thread ? g_groups[group_of(record)].jvmti.walk(env, thread, frames, limit, flags) : Runtime::kWalkLater;
}

}  // namespace

bool Art::can_walk_other_threads() {
  return internals.can_walk() && (g_groups[0].jvmti.is_open() || internals.can_suspend_one());
}

void Art::find_other_thread_walk(Session& session) {
  bool open = true;
  for (Group& group : g_groups) open = open && group.jvmti.open(internals.vm);
  if (open) return session.report_hook("other threads", HookState::Installed, "by JVMTI");
  if (internals.can_suspend_one()) return session.report_hook("other threads", HookState::Installed, "suspended by id");
  session.report_hook(
      "other threads", HookState::Missing,
      "this ART hides how one thread is suspended, and gives no JVMTI: threads are seen at points only");
}

i32 Art::walk_other_thread(ThreadRecord& record, Frame* frames, u32 limit, WalkNotes& notes) {
  // While the runtime ends, the thread that waits for the agent is Runnable and would never be suspended.
  if (!can_walk_other_threads() || runtime_ends()) return 0;
  const u32 art_id = static_cast<u32>(reinterpret_cast<uintptr_t>(record.runtime_ref.load_acquire()));
  if (!art_id) return 0;
  JNIEnv* env = internals.env();
  // Of a thread that has ended: its id is ours now. ART ends the process of who suspends itself.
  if (art_id == internals.art_id_of(Internals::thread_of(env))) return 0;
  const bool has_jvmti = g_groups[group_of(record)].jvmti.is_open();
  const i32 count = has_jvmti ? walk_by_jvmti(env, record, frames, limit, notes.flags) : kNotWalked;
  if (count >= 0 || !internals.can_suspend_one()) return count;
  return walk_suspended(internals, art_id, record.tid.load_relaxed(), frames, limit, notes.flags);
}

}  // namespace btrace::art
