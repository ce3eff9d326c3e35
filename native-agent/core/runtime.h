#pragma once
// What a runtime (a folder of rt) gives the core. It is called on the agent's own threads.
#include "core/held_table.h"
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
  static constexpr u32 kLastLoopMessage = ~0u;  // that of the thread's last own capture

  u16 flags = 0;
  u32 loop_message = kLastLoopMessage;
  // Who it was is known, where it was is not: an other-thread walk may still tell, if it comes in time.
  bool provisional = false;
  // Where the managed frames end that the thread's native code was called from; 0: not known.
  uintptr_t managed = 0;

  void tell(Row& row) const {
    row.flags |= flags;
    if (loop_message != kLastLoopMessage) row.loop_message = loop_message;
  }
};

struct TargetDescription {
  char name[256];
  char runtime[128];
  char os[64];      // empty: kSystem
  char device[64];  // empty: this machine
};

struct ThreadDescription {
  char name[256];
  u64 program_id;
  ThreadKind kind;
  bool is_main;
};

// An imported function, by the image that calls it: images by their numbers, Images::kNone if not known.
struct CalledFunction {
  const char* name;
  u32 caller;
  u32 library;
  bool is_point;  // in a recording that is no survey
};

// How often a thread called a function.
struct CallCount {
  u32 function;  // number
  u32 tid;       // 0: of threads that are counted together
  u64 count;     // since the last time
};

// What a thread is that only the kernel knows of.
struct NativeThread {
  u64 root;  // the frame that stands below all of its stacks, to be named as a method is; 0: such threads are not shown
  ThreadKind kind;
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
  // Now and then while recording: the budget is a share of `cpu_ns` since the last time (core/pace.h). Returns what the
  // runtime itself spent on events that were not captured meanwhile, an estimate.
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
  // told yet, kTimedOut, -1 when it failed otherwise. Only if it can be walked by the external sampler.
  virtual i32 walk_other_thread(ThreadRecord& record, Frame* frames, u32 limit, WalkNotes& notes) = 0;
  virtual bool can_walk_other_threads() = 0;
  // That takes microseconds and waits for nobody, so that one external sampler walks all threads.
  virtual bool walks_at_once() { return false; }
  // Called by the external sampler before each of its rounds, where the runtime is not told of new threads.
  virtual void find_new_threads(Session& session, i64 now_ns) { (void)session, (void)now_ns; }
  // Adds to what another thread has published of its wait (kind Unknown: nothing) the object that it waits for and the
  // owner, if the runtime can see them. `leaf`: the innermost frame's code, 0 if not known yet.
  virtual void inspect_wait(Session& session, ThreadRecord& record, u64 leaf, SampleKind& kind, Wait& wait) {
    (void)session, (void)record, (void)leaf, (void)kind, (void)wait;
  }
  // By the kernel's name of it.
  virtual NativeThread native_thread(const char* comm) {
    (void)comm;
    return {0, ThreadKind::Native};
  }
  // Whether the program's own threads are all native. Beside a runtime's threads native ones work little, and get
  // timers when they do.
  virtual bool has_only_native_threads() { return false; }
  // Whether native threads are told of without timers, too: how much CPU time they use, and not where.
  virtual bool counts_native_threads() { return false; }
  // Whether running threads may be interrupted to walk themselves.
  virtual bool can_walk_here() { return false; }
  // Adds what the runtime itself counts of the calling thread, which has no frames of the runtime's, within a signal
  // handler.
  virtual void read_native_counters(Row& row) { (void)row; }
  // Allocations that were sampled and not freed: the next one from `at` on, which is moved behind it. False: no more.
  virtual bool next_held(u32& at, HeldAllocation& held) {
    (void)at, (void)held;
    return false;
  }
  // Of a survey: the next counts that have grown since they were told, from `at` on, which is moved behind them. False: no
  // more.
  virtual bool next_call_count(u64& at, CallCount& count) {
    (void)at, (void)count;
    return false;
  }
  virtual CalledFunction called_function(u32 number) { return (void)number, CalledFunction{}; }
  // Imports whose calls are not counted.
  virtual u32 uncounted_imports() { return 0; }
  // Whether the CPU timers may have SIGPROF where nobody uses it. Not where the program has yet to begin: one that takes
  // it would be sent what is on its way.
  virtual bool may_take_sigprof() { return true; }
  // The calling thread's stack from within a signal handler, leaf first; not above 0 when it cannot be walked there
  // now. The one function here that captured threads call.
  virtual i32 walk_here(ThreadRecord& record, void* context, Frame* frames, u32 limit, WalkNotes& notes) {
    (void)record, (void)context, (void)frames, (void)limit, (void)notes;
    return -1;
  }
};

}  // namespace btrace
