// What a thread waits for and who has it, seen from the agent's own thread: where a recording ends within waits, and of
// those that began before it. Nothing is taken from the program here but short looks at it.
#include "core/capture.h"
#include "rt/hotspot/waits.h"

namespace btrace::hotspot {

namespace {

// What java.util.concurrent's locks are made of: the thread that has one.
struct LockFields {
  jfieldID waited_for;  // java.lang.Thread's: what LockSupport was told that it parks for
  jfieldID owner;
};

jfieldID field_of(JNIEnv* env, jclass owner, const char* name, const char* signature) {
  jfieldID field = owner ? env->GetFieldID(owner, name, signature) : nullptr;
  if (env->ExceptionCheck()) env->ExceptionClear();
  return field;
}

// Local references go with it.
struct LocalFrame {
  JNIEnv* env;
  bool open;
  explicit LocalFrame(JNIEnv* of) : env(of), open(of && of->PushLocalFrame(16) == 0) {}
  ~LocalFrame() {
    if (open) env->PopLocalFrame(nullptr);
  }
};

u32 index_of(Session& session, const ThreadRecord& waiter, ThreadRecord* owner) {
  return owner && owner != &waiter ? index_in(session, *owner) : 0;
}

// The JVM's mark for "somebody who locked it before there was a monitor".
constexpr u64 kAnonymousOwner = 1;

ThreadRecord* find_locker(u64 object) {
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.state.load_acquire() == ThreadRecord::State::Live &&
        g_hotspot.jvm.has_locked(record.runtime_thread.load_relaxed(), object))
      return &record;
  }
  return nullptr;
}

void inspect_monitor_wait(Session& session, const ThreadRecord& record, SampleKind& kind, Wait& wait) {
  const Jvm& jvm = g_hotspot.jvm;
  const auto pending = jvm.pending_of(record.runtime_thread.load_relaxed());
  if (!pending.monitor) return;
  ThreadRecord* owner =
      pending.owner == kAnonymousOwner ? find_locker(pending.object) : owner_by_word(pending.owner);
  const u32 peer = index_of(session, record, owner);
  if (kind == SampleKind::Unknown) {
    kind = SampleKind::Monitor;
    const u64 type = jvm.class_of_raw(pending.object);
    // A collection may have moved it meanwhile: then this was another object's class.
    const auto now = jvm.pending_of(record.runtime_thread.load_relaxed());
    if (now.monitor == pending.monitor && now.object == pending.object) wait.type = type;
  }
  if (!peer) return;
  wait.peer = peer;
  wait.flags = static_cast<u16>(wait.flags & ~kFlagOwnerEstimated);
}

void inspect_park(JNIEnv* env, Session& session, const ThreadRecord& record, jobject thread, SampleKind& kind,
              Wait& wait) {
  jclass thread_class = env->FindClass("java/lang/Thread");
  jfieldID waited_for_field = field_of(env, thread_class, "parkBlocker", "Ljava/lang/Object;");
  jobject waited_for = waited_for_field ? env->GetObjectField(thread, waited_for_field) : nullptr;
  if (!waited_for) return;
  jclass lock_class = env->FindClass("java/util/concurrent/locks/AbstractOwnableSynchronizer");
  if (env->ExceptionCheck()) env->ExceptionClear();
  jfieldID owner_field = field_of(env, lock_class, "exclusiveOwnerThread", "Ljava/lang/Thread;");
  jobject owner = owner_field && env->IsInstanceOf(waited_for, lock_class) ? env->GetObjectField(waited_for, owner_field)
                                                                         : nullptr;
  const u64 owner_thread = owner ? g_hotspot.jvm.thread_of(env, owner) : 0;
  const u32 peer = index_of(session, record, owner_thread ? g_threads.find_runtime(owner_thread) : nullptr);
  // Of one that has parked since before the recording only a lock is worth telling.
  if (kind == SampleKind::Unknown && !peer) return;
  kind = SampleKind::Park;
  wait.peer = peer;
  identify(env, waited_for, wait.type, wait.object);
}

}  // namespace

ThreadRecord* owner_by_word(u64 owner) {
  if (!owner) return nullptr;
  // From JDK 23 on owners are Java ids; 1 and 2 are the JVM's own marks, and no pointer is this small.
  constexpr u64 kFirstId = 3, kLastId = 1ull << 32;
  if (owner < kLastId) return owner < kFirstId ? nullptr : g_threads.find_program_id(owner);
  // A monitor that was thin until a moment ago is owned by a place in its owner's stack.
  ThreadRecord* known = g_threads.find_runtime(owner);
  return known ? known : g_threads.find_stack(owner);
}

void HotSpot::inspect_wait(Session& session, ThreadRecord& record, u64, SampleKind& kind, Wait& wait) {
  if (kind == SampleKind::Unknown || kind == SampleKind::Monitor) inspect_monitor_wait(session, record, kind, wait);
  if (kind != SampleKind::Unknown && kind != SampleKind::Park) return;
  LocalFrame frame(jvm.env());
  auto reference = static_cast<jweak>(record.runtime_ref.load_acquire());
  jobject thread = frame.open && reference ? frame.env->NewLocalRef(reference) : nullptr;
  if (thread) inspect_park(frame.env, session, record, thread, kind, wait);
}

}  // namespace btrace::hotspot
