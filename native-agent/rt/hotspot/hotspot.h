#pragma once
// HotSpot as a runtime of the core: points, names, walks.
#include "core/runtime.h"
#include "rt/hotspot/jvm.h"
#include "rt/hotspot/jvm_counters.h"

namespace btrace::hotspot {

// What stands in a stack for work of the JVM's own that has no Java frame.
enum Stub : u64 {
  kStubCollection = 1,
  kStubNoFrames,
  kStubGone,
  kStubCallersAway,
  kStubTooDeep,
  kStubCompiler,
  kStubCollector,
  kStubJvm,
  kStubNative,
  kStubs
};

class HotSpot final : public Runtime {
 public:
  Jvm jvm;

  void describe(TargetDescription& target) override;
  bool enter_agent_thread(const char* name) override;
  void leave_agent_thread() override;
  void install(Session& session) override;
  void remove(Session& session) override;
  u64 adapt(Session& session, u64 cpu_ns) override;
  i64 heap_used() override;
  void describe_thread(ThreadRecord& record, ThreadDescription& thread) override;
  void forget_thread(ThreadRecord& record) override;
  bool name_method(u64 code, NameSink& sink) override;
  bool name_class(u64 key, NameSink& sink) override;
  i32 walk_other_thread(ThreadRecord& record, Frame* frames, u32 limit, WalkNotes& notes) override;
  bool can_walk_other_threads() override { return true; }
  void inspect_wait(Session& session, ThreadRecord& record, u64 leaf, SampleKind& kind, Wait& wait) override;
  NativeThread native_thread(const char* comm) override;
  bool can_walk_here() override { return jvm.signal_walk != nullptr; }
  i32 walk_here(ThreadRecord& record, void* context, Frame* frames, u32 limit, WalkNotes& notes) override;

 private:
  u32 name_class_of(jclass java_class, NameSink& sink);
  void meet_threads(JNIEnv* env);
  // Adds what the program stood still since then.
  void book_stop(Session& session, i64 before_ns);

  bool explored_ = false;
  StopClock stops_;
};

extern HotSpot g_hotspot;

// threads.cc: the record of a Java thread; on the thread itself or from the agent.
void meet_thread(JNIEnv* env, jthread thread, ThreadRecord& record);
ThreadRecord* my_record(JNIEnv* env, jthread thread);
void end_thread(JNIEnv* env, jthread thread, ThreadRecord& record);

// counters.cc: what a captured sample carries of the calling thread.
void read_counters(Row& row, ThreadRecord& record);

// On the way to the root, and to count frames, the JVM makes an object of some 5 KB for each. Of a runaway recursion,
// which may have millions, the callers are not asked for.
inline constexpr jint kDeepest = 2 * WalkBuffer::kFrames;
// walk.cc: the calling thread's stack, or another one's when `thread` is given. Frames leaf first; negative: failed.
i32 walk_thread(jthread thread, Frame* frames, u32 limit, u16& flags);
// The calling thread's, in a native method: at half the cost, for JVMTI's walk keeps track of where each frame has its
// objects. What compiled code calls otherwise, to allocate or to enter a monitor, only JVMTI walks.
i32 walk_in_native(Frame* frames, u32 limit, u16& flags);

// off_carrier_waits.cc
// Whether the JVM can say when virtual threads leave their carriers and come back, whether it does just now, and who is
// on one by that; 0: not known.
bool can_hear_of_hops();
bool hears_of_hops();
u64 carried_by_events(const ThreadRecord& record);
// Of one that is there since before that, it was found out otherwise: that counts only if nothing was heard since.
void learn_carried(ThreadRecord& record, u64 id);

// virtual_threads.cc
// What the rows of a thread say that `id` runs on: 0 for itself.
u32 loop_message_of(ThreadRecord& record, u64 id);
// Who runs on a thread, itself or a virtual one, by its Java id; 0: not known. On the calling thread, and on another.
inline u64 own_id(const ThreadRecord& record) {
  const Jvm& jvm = g_hotspot.jvm;
  return jvm.tells_who_runs() ? jvm.id_on(record.runtime_thread.load_relaxed()) : carried_by_events(record);
}
inline u64 other_id(const ThreadRecord& record) {
  const Jvm& jvm = g_hotspot.jvm;
  return jvm.tells_who_runs() ? jvm.id_on_other(record.runtime_thread.load_relaxed()) : carried_by_events(record);
}
// The calling thread's.
inline u32 own_loop_message(ThreadRecord& record) { return loop_message_of(record, own_id(record)); }
// On the calling thread, where a virtual thread may have been since before the events were on: it may wait and never
// leave.
void find_out_who_runs(JNIEnv* env, ThreadRecord& record);
// A virtual thread waits for a monitor off its carrier, which goes on with another one meanwhile. Where the JVM does
// not tell who runs, before JDK 24, it keeps its carrier then.
inline bool leaves_in_monitors(JNIEnv* env, ThreadRecord& record) {
  find_out_who_runs(env, record);
  return g_hotspot.jvm.tells_who_runs() && own_loop_message(record);
}
// A thread was seen to carry a virtual one.
void meet_carrier(ThreadRecord& record);
void prepare_virtual_threads(Session& session);
void report_virtual_threads(Session& session);
void release_virtual_threads(Session& session);
// The events are off now and then.
void tell_of_pauses(Session& session);
// The stack of the virtual thread that a carrier carries; 0 when it carries none.
i32 walk_carried(ThreadRecord& record, jthread carrier, Frame* frames, u32 limit, WalkNotes& notes);

// off_carrier_waits.cc
// Puts the event of a virtual thread's end in its place among callbacks, of which the first is that of `first_event`.
void set_virtual_thread_end(void** callbacks, u32 first_event);
void enable_off_carrier_waits(Session& session, JNIEnv* env);
// Once one was met: before that nobody asks.
void report_off_carrier_waits(Session& session);
// Now and then: what the events cost since the last time. They are off for a while where that is too much.
u64 pace_off_carrier_waits(Session& session, u64 cpu_ns);
void disable_off_carrier_waits(Session& session);

// method_ids.cc
void begin_method_ids(const Session& session);
// Of classes that came since, now and then. On the thread of begin_method_ids.
void make_method_ids();
void class_was_loaded();

// points.cc
void set_callbacks();
void enable_points(Session& session);
void disable_points(Session& session);
// The calling thread says something now: number_of_text, and of a counter its counted_object.
void capture_marker(u32 text, u64 object);

// allocation_interval.cc: keeps the JVM's own share of sampling within the budget.
void set_allocation_interval(u64 bytes);

}  // namespace btrace::hotspot
