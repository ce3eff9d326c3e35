#pragma once
// The Android Runtime as a runtime of the core.
#include "core/runtime.h"
#include "rt/art/internals.h"

namespace btrace::art {

class Art final : public Runtime {
 public:
  Internals internals;

  // Runs `start` when the runtime, which is being made, has its first thread and runs Java; not at all if it cannot
  // tell.
  void when_ready(void (*start)());
  // Within `start`: for a millisecond, by Java's own sleep. Its caller is Runnable, and who puts hooks in stops all
  // threads.
  static void sleep_when_ready();
  void describe(TargetDescription& target) override;
  bool enter_agent_thread(const char* name) override;
  void leave_agent_thread() override;
  void install(Session& session) override;
  void remove(Session& session) override;
  u64 adapt(Session& session, u64 cpu_ns) override;
  void describe_thread(ThreadRecord& record, ThreadDescription& thread) override;
  void forget_thread(ThreadRecord& record) override;
  bool name_method(u64 code, NameSink& sink) override;
  bool name_class(u64 key, NameSink& sink) override;
  i32 walk_other_thread(ThreadRecord& record, Frame* frames, u32 limit, WalkNotes& notes) override;
  bool can_walk_other_threads() override;
  NativeThread native_thread(const char* comm) override;
  bool counts_native_threads() override;
  void inspect_wait(Session& session, ThreadRecord& record, u64 leaf, SampleKind& kind, Wait& wait) override;

 private:
  void find_other_thread_walk(Session& session);
};

extern Art g_art;

// walk.cc: frames leaf first. `self` is the calling thread, `thread` the same or one that it suspended. kNotWalked when
// it is not Runnable, and ever after a walk met memory that is not there; the flags say which.
inline constexpr i32 kNotWalked = -1;
i32 walk_stack(ArtThread* self, ArtThread* thread, Frame* frames, u32 limit, u16& flags);
bool walks_met_damage();
class WalkMarker;
extern WalkMarker g_walk_marker;

// java_threads.cc: on the recorder's thread, all that Java knows get a record and their name.
void meet_threads(JNIEnv* env);
// Calls `each` for all that live; each may end at any moment after. Once they have been met, from any agent thread.
using EachJavaThread = void(JNIEnv* env, jobject java, ArtThread* thread, u32 data);
void each_java_thread(JNIEnv* env, EachJavaThread each, u32 data);

// threads.cc
void bind(ThreadRecord& record, ArtThread* thread, u32 art_id);
// On the thread itself.
ThreadRecord* my_record(ArtThread* self);
ThreadRecord* record_of_art_id(u32 art_id);
void note_thread_start(ArtThread* self);
// Who created the thread that ART knows by `peer`, by the recording's index; it may not have begun to run yet. Its
// record when it has.
ThreadRecord* tell_creator(u64 peer, u32 creator);

// replacement.cc: the address of a method that JNI found; nullptr when it cannot be told.
ArtMethod* art_method(JNIEnv* env, jclass java_class, jmethodID method);

// natives.cc
// Object.notify is stood in for whatever is asked for: runnable.h needs it. nullptr, or why not.
const char* stand_in_for_notify(Session& session, JNIEnv* env);
void replace_natives(Session& session, JNIEnv* env);
void restore_natives(Session& session, JNIEnv* env);

}  // namespace btrace::art
