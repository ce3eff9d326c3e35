#pragma once
// A process without a managed runtime.
#include "core/capture.h"
#include "core/runtime.h"
#include "os/imports.h"

namespace btrace::native {

// A function of the C library that is redirected in all images. `group` is its line in hook health. `kind`: Unknown for one
// that is always redirected.
struct Point {
  const char* name;
  void* replacement;
  void** original;
  const char* group;
  SampleKind kind;
};
struct Points {
  const Point* points;
  u32 count;
};

Points waiting_points();     // waits.cc: calls that may wait, and those that end waits
Points allocation_points();  // allocations.cc
Points creation_points();    // threads.cc: pthread_create
Points clock_points();       // clocks.cc: clock reads
Points exec_points();        // exec.cc: calls by which the program becomes another one

class Native : public Runtime {
 public:
  void describe(TargetDescription& target) override;
  bool enter_agent_thread(const char* name) override;
  void leave_agent_thread() override {}
  void install(Session& session) override;
  void remove(Session& session) override;
  u64 adapt(Session& session, u64 cpu_ns) override;
  void describe_thread(ThreadRecord& record, ThreadDescription& thread) override;
  void forget_thread(ThreadRecord&) override {}
  bool name_method(u64 code, NameSink& sink) override;
  bool name_class(u64, NameSink&) override { return false; }
  i32 walk_other_thread(ThreadRecord&, Frame*, u32, WalkNotes&) override { return 0; }
  bool can_walk_other_threads() override { return false; }
  NativeThread native_thread(const char* comm) override;
  bool has_only_native_threads() override { return true; }
  bool can_walk_here() override { return true; }
  bool may_take_sigprof() override { return false; }
  void read_native_counters(Row& row) override;
  bool next_held(u32& at, HeldAllocation& held) override;
  bool next_call_count(u64& at, CallCount& count) override;
  CalledFunction called_function(u32 number) override;
  u32 uncounted_imports() override;

 protected:
  // Beside those that all systems have: one family after the other, and nothing behind the last one.
  virtual Points system_points(u32 family) {
    (void)family;
    return {};
  }

 private:
  template <class Visit>
  void each_family(Visit visit);
};

// What ends waits comes before what waits: none is recorded whose end nobody could see.
template <class Visit>
void Native::each_family(Visit visit) {
  visit(creation_points());
  visit(allocation_points());
  visit(waiting_points());
  visit(clock_points());
  visit(exec_points());
  for (u32 family = 0;; family++) {
    const Points points = system_points(family);
    if (!points.count) break;
    visit(points);
  }
}

extern Native g_native;

// Stand for what has no address.
enum Stub : u64 { kStubThread = 1, kStubNoFrames, kStubs };

// On the thread that says it; `from` is where. `object`: of a counter its counted_object.
void capture_marker(u32 text, u64 object, const Registers& from);

// Where the function that was called by a redirected import goes on, to be asked for in that function itself.
#define BTRACE_CALLER()                                                                              \
  ::btrace::native::caller_of(__builtin_return_address(0), __builtin_dwarf_cfa(), __builtin_frame_address(0))
Registers caller_of(const void* return_address, void* cfa, const void* frame);

// Whose own calls are not redirected.
inline constexpr const char* kCLibrary = "libc.so";
// The groups of functions that are redirected and capture nothing.
inline constexpr const char *kConfinement = "confinement", *kExec = "exec";

// survey.cc
void begin_survey(Session& session);
// Takes in what was loaded or bound since.
void continue_survey(Session& session);
void end_survey(Session& session);

// clocks.cc
void begin_clocks(const Session& session);

// native.cc
// The calling thread's record, for a capture that is about to be made: it costs a system call. Null in a child of vfork:
// that has its parent's thread-local words, and would put its own stack and CPU time into its parent's record, or be
// killed while it holds it.
ThreadRecord* own_record();
// The calling thread's counters into its row.
void read_counters(Row& row, ThreadRecord& record);
// The calling thread's stack into the capture, from there on; the number of its frames.
u32 walk_from(HeldRecord& capture, const Registers& from);

#define BTRACE_POINT(name, group, kind)                                                                           \
  {#name, reinterpret_cast<void*>(&hook_##name), reinterpret_cast<void**>(&original.name), group, SampleKind::kind}

// allocations.cc
void begin_allocations(const Session& session);
// What the calling thread has allocated since allocations are counted.
struct Allocated {
  u64 count, bytes;
};
Allocated allocated_here();

}  // namespace btrace::native
