// What a thread waits for and who has it, seen from the agent's own thread: where a recording ends within waits, and of
// those that began before it. Nothing is taken from the program here but short looks at it.
#include "core/capture.h"
#include "rt/hotspot/blocking.h"

namespace btrace::hotspot {

namespace {

// What java.util.concurrent's locks are made of: the thread that has one.
struct LockFields {
  jfieldID blocker;  // java.lang.Thread's: what LockSupport was told that it parks for
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

ThreadRecord* who_locked(u64 object) {
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.state.load_acquire() == ThreadRecord::State::Live &&
        g_hotspot.jvm.has_locked(record.runtime_thread.load_relaxed(), object))
      return &record;
  }
  return nullptr;
}

void see_monitor(Session& session, const ThreadRecord& record, SampleKind& kind, Blocked& block) {
  const Jvm& jvm = g_hotspot.jvm;
  const auto pending = jvm.pending_of(record.runtime_thread.load_relaxed());
  if (!pending.monitor) return;
  ThreadRecord* owner =
      pending.owner == kAnonymousOwner ? who_locked(pending.object) : owner_by_word(pending.owner);
  const u32 peer = index_of(session, record, owner);
  if (kind == SampleKind::Unknown) {
    kind = SampleKind::Monitor;
    block.type = jvm.class_of_raw(pending.object);
  }
  if (!peer) return;
  block.peer = peer;
  block.flags = static_cast<u16>(block.flags & ~kFlagOwnerEstimated);
}

void see_park(JNIEnv* env, Session& session, const ThreadRecord& record, jobject thread, SampleKind& kind,
              Blocked& block) {
  jclass thread_class = env->FindClass("java/lang/Thread");
  jfieldID blocker_field = field_of(env, thread_class, "parkBlocker", "Ljava/lang/Object;");
  jobject blocker = blocker_field ? env->GetObjectField(thread, blocker_field) : nullptr;
  if (!blocker) return;
  jclass lock_class = env->FindClass("java/util/concurrent/locks/AbstractOwnableSynchronizer");
  if (env->ExceptionCheck()) env->ExceptionClear();
  jfieldID owner_field = field_of(env, lock_class, "exclusiveOwnerThread", "Ljava/lang/Thread;");
  jobject owner = owner_field && env->IsInstanceOf(blocker, lock_class) ? env->GetObjectField(blocker, owner_field)
                                                                         : nullptr;
  const u64 owner_thread = owner ? g_hotspot.jvm.thread_of(env, owner) : 0;
  const u32 peer = index_of(session, record, owner_thread ? g_threads.find_runtime(owner_thread) : nullptr);
  // Of one that has parked since before the recording only a lock is worth telling.
  if (kind == SampleKind::Unknown && !peer) return;
  kind = SampleKind::Park;
  block.peer = peer;
  identify(env, blocker, block.type, block.object);
}

}  // namespace

ThreadRecord* owner_by_word(u64 owner) {
  if (!owner) return nullptr;
  // From JDK 23 on owners are Java ids; 1 and 2 are the JVM's own marks, and no pointer is this small.
  constexpr u64 kFirstId = 3, kLastId = 1ull << 32;
  if (owner < kLastId) return owner < kFirstId ? nullptr : g_threads.find_java_id(owner);
  // A monitor that was thin until a moment ago is owned by a place in its owner's stack.
  ThreadRecord* known = g_threads.find_runtime(owner);
  return known ? known : g_threads.find_stack(owner);
}

void HotSpot::see_block(Session& session, ThreadRecord& record, u64, SampleKind& kind, Blocked& block) {
  if (kind == SampleKind::Unknown || kind == SampleKind::Monitor) see_monitor(session, record, kind, block);
  if (kind != SampleKind::Unknown && kind != SampleKind::Park) return;
  LocalFrame frame(jvm.env());
  auto reference = static_cast<jweak>(record.runtime_ref.load_acquire());
  jobject thread = frame.open && reference ? frame.env->NewLocalRef(reference) : nullptr;
  if (thread) see_park(frame.env, session, record, thread, kind, block);
}

}  // namespace btrace::hotspot
