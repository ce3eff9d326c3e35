#pragma once
// What a runtime (rt/hotspot, rt/art) gives the core. It is called on the agent's own threads.
#include "core/session.h"

namespace btrace {

struct LineEntry {
  i64 position;
  i32 line;
};

// Where a runtime puts the names it looked up. Texts are copied.
class NameSink {
 public:
  // The id of a class, 0 if it has not been named yet.
  virtual u32 class_id(u64 key) = 0;
  virtual u32 add_class(u64 key, const char* name, const char* file) = 0;
  // Of the method that is being named.
  virtual void set_method(u32 class_id, const char* name, const char* signature, MethodKind kind,
                          const LineEntry* lines, u32 line_count) = 0;
};

// What a walk says beside its frames.
struct WalkNotes {
  static constexpr u32 kLastMessage = ~0u;  // that of the thread's last own capture

  u16 flags = 0;
  u32 message = kLastMessage;
  // Who it was is known, where it was is not: a walk from outside may still tell, if it comes in time.
  bool provisional = false;
  // Where the managed frames end that the thread's native code was called from; 0: not known.
  uintptr_t managed = 0;

  void tell(Row& row) const {
    row.flags |= flags;
    if (message != kLastMessage) row.message = message;
  }
};

struct TargetDescription {
  char name[256];
  char runtime[128];
  char os[64];      // empty: "linux"
  char device[64];  // empty: this machine
};

struct ThreadDescription {
  char name[256];
  u64 java_id;
  ThreadKind kind;
  bool is_main;
};

class Runtime {
 public:
  static constexpr i32 kWalkLater = -2;
  // The thread did not stand still in time.
  static constexpr i32 kTimedOut = -3;

  virtual void describe(TargetDescription& target) = 0;
  virtual const char* mode_reason() { return nullptr; }
  // Each of the agent's threads calls these around everything else it asks. False: the program is ending.
  virtual bool enter_agent_thread(const char* name) = 0;
  virtual void leave_agent_thread() = 0;
  // Puts the hooks in and reports each; takes them out again, when the session is no longer active.
  virtual void install(Session& session) = 0;
  virtual void remove(Session& session) = 0;
  // Now and then while recording: `cpu_ns` is what the process used since the last time. Returns what the runtime
  // itself spent on events that were not captured meanwhile, an estimate.
  virtual u64 adapt(Session& session, u64 cpu_ns) {
    (void)session, (void)cpu_ns;
    return 0;
  }
  virtual void describe_thread(ThreadRecord& record, ThreadDescription& thread) = 0;
  // The record will be used again for another thread.
  virtual void forget_thread(ThreadRecord& record) = 0;
  // Bytes of the heap that are in use; -1 where the runtime does not tell. Of the agent's own threads only.
  virtual i64 heap_used() { return -1; }
  // False: it is gone; the sink then holds a placeholder and the loss is counted.
  virtual bool name_method(u64 code, NameSink& sink) = 0;
  virtual bool name_class(u64 key, NameSink& sink) = 0;
  // Another thread's stack, leaf first; 0 when it has none as long as it does not run, kWalkLater when that cannot be
  // told yet, kTimedOut, -1 when it failed otherwise. Only if it can be walked from outside.
  virtual i32 walk_outside(ThreadRecord& record, Frame* frames, u32 limit, WalkNotes& notes) = 0;
  virtual bool walks_outside() = 0;
  // What another thread waits for, and who has it, where that can be seen from here: adds to what the thread has
  // announced (kind Unknown: nothing). `leaf`: the innermost frame's code, 0 where that is not known yet.
  virtual void see_block(Session& session, ThreadRecord& record, u64 leaf, SampleKind& kind, Blocked& block) {
    (void)session, (void)record, (void)leaf, (void)kind, (void)block;
  }
  // Whether running threads may be interrupted to walk themselves.
  virtual bool walks_here() { return false; }
  // The calling thread's stack from within a signal handler, leaf first; not above 0 when it cannot be walked there
  // now. The one function here that captured threads call.
  virtual i32 walk_here(ThreadRecord& record, void* context, Frame* frames, u32 limit, WalkNotes& notes) {
    (void)record, (void)context, (void)frames, (void)limit, (void)notes;
    return -1;
  }
};

}  // namespace btrace
